/// A key of a scenario file: its name, the form of its value, its default and its meaning.
///
/// This declaration is all that the decoder, the JSON Schema and the tables of `Scenarios/README.md` know of it.
struct FileKey<Value> {
    let declaration: ScenarioKey
    let form: TypedForm<Value>
    /// The value when the key is absent.
    let defaultValue: Value?

    /// A key that must be there, unless it has a default or it says what it means to be absent.
    ///
    /// - Parameter absent: what it means that the key is absent, where that is no value, or not what a file would write.
    init(
        _ name: String, _ form: TypedForm<Value>, default value: Value? = nil, absent: String? = nil, _ meaning: String
    ) {
        declaration = ScenarioKey(
            name: name, form: form.form, defaultText: absent ?? value.map(form.written), meaning: meaning)
        self.form = form
        defaultValue = value
    }
}

/// A key of any type.
protocol DeclaredKey {
    var declaration: ScenarioKey { get }
    /// Reads the value, which reports what is wrong with it.
    func read(in fields: Fields)
}

extension DeclaredKey {
    var name: String { declaration.name }
}

extension FileKey: DeclaredKey {
    func read(in fields: Fields) { _ = fields[self] }
}

/// The keys of a mapping. Its properties that are a ``FileKey`` declare what a file may have there.
protocol MappingKeys {
    /// Every key, in the order in which messages and tables list them.
    var declaredKeys: [any DeclaredKey] { get }
    /// What the mapping asks of its keys together.
    var rule: ScenarioForm.Rule { get }
}

extension MappingKeys {
    var declaredKeys: [any DeclaredKey] { reflectedKeys }
    var rule: ScenarioForm.Rule { .none }
    var declarations: [ScenarioKey] { declaredKeys.map(\.declaration) }
    var form: ScenarioForm { .mapping(declarations, rule: rule) }

    /// The properties that are keys, in the order in which they are declared.
    var reflectedKeys: [any DeclaredKey] {
        Mirror(reflecting: self).children.compactMap { $0.value as? any DeclaredKey }
    }
}

/// A mapping whose value is made of its keys.
protocol ScenarioMapping: MappingKeys {
    associatedtype Value
    /// Whether all keys are read before the value is made, so that every mistake is reported; `true` unless it says
    /// otherwise.
    var isReadWhole: Bool { get }
    /// The value; `nil` when it is bad, which has been reported then.
    func value(of fields: Fields) -> Value?
}

extension ScenarioMapping {
    var isReadWhole: Bool { true }
}
