/// A key of a scenario file: its name, the form of its value, its default and its meaning.
///
/// The decoder, the JSON Schema and the tables of `Scenarios/README.md` are all made from this declaration.
struct FileKey<Value> {
    let declaration: ScenarioKey
    let form: TypedForm<Value>
    /// The value when the key is absent.
    let defaultValue: Value?

    /// Declares a key, which is required unless it has a default or a meaning when absent.
    ///
    /// - Parameter absent: what an absent key means, if that is not a value or differs from the written default.
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
    /// Reads the value and reports its mistakes.
    func read(in fields: Fields)
}

extension DeclaredKey {
    var name: String { declaration.name }
}

extension FileKey: DeclaredKey {
    func read(in fields: Fields) { _ = fields[self] }
}

/// The keys of a mapping. Each property of type ``FileKey`` declares a key that a file may have.
protocol MappingKeys {
    /// Every key, in the order in which messages and tables list them.
    var declaredKeys: [any DeclaredKey] { get }
    /// The rule for combinations of the keys.
    var rule: ScenarioForm.Rule { get }
}

extension MappingKeys {
    var declaredKeys: [any DeclaredKey] { reflectedKeys }
    var rule: ScenarioForm.Rule { .none }
    var declarations: [ScenarioKey] { declaredKeys.map(\.declaration) }
    var form: ScenarioForm { .mapping(declarations, rule: rule) }

    /// The properties that are keys, in order of declaration.
    var reflectedKeys: [any DeclaredKey] {
        Mirror(reflecting: self).children.compactMap { $0.value as? any DeclaredKey }
    }
}

/// A mapping whose value is made from its keys.
protocol ScenarioMapping: MappingKeys {
    associatedtype Value
    /// Whether all keys are read before the value is made, so that every mistake is reported; `true` by default.
    var isReadWhole: Bool { get }
    /// Makes the value; `nil` when it is bad, after reporting the mistake.
    func value(of fields: Fields) -> Value?
}

extension ScenarioMapping {
    var isReadWhole: Bool { true }
}
