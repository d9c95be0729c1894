import TrialModel

/// A key of a scenario file: its name, the form of its value, its default, its meaning and the property that it sets.
///
/// The decoder, the JSON Schema and the tables of `Scenarios/README.md` are all made from this declaration.
struct FileKey<Value> {
    let declaration: ScenarioKey
    let form: TypedForm<Value>
    /// The value when the key is absent.
    let defaultValue: Value?
    /// The property that the key sets; `nil` when a function of its mapping uses the value.
    private let property: AnyKeyPath?

    private init(
        _ name: String, _ form: TypedForm<Value>, _ property: AnyKeyPath?, _ value: Value?, _ absent: String?,
        _ meaning: String
    ) {
        let text = absent ?? value.map(form.written)
        declaration = ScenarioKey(name: name, form: form.form, defaultText: text, meaning: meaning)
        (self.form, self.property, defaultValue) = (form, property, value)
    }

    /// Declares a key that a function uses; it is required unless it has a default or a meaning when absent.
    ///
    /// - Parameter absent: what an absent key means, if that is not a value or differs from the written default.
    init(
        _ name: String, _ form: TypedForm<Value>, default value: Value? = nil, absent: String? = nil, _ meaning: String
    ) {
        self.init(name, form, nil, value, absent, meaning)
    }

    /// Declares a key that sets a property; the property's default is the key's.
    init<Root: HasDefaults>(
        _ name: String, _ form: TypedForm<Value>, _ property: WritableKeyPath<Root, Value>, absent: String? = nil,
        _ meaning: String
    ) {
        self.init(name, form, property, Root.defaults[keyPath: property], absent, meaning)
    }

    /// Declares a key that sets a property, which is `nil` when the key is absent.
    init<Root: HasDefaults>(
        _ name: String, _ form: TypedForm<Value>, _ property: WritableKeyPath<Root, Value?>, absent: String,
        _ meaning: String
    ) {
        self.init(name, form, property, nil, absent, meaning)
    }

    /// Declares a required key that sets a property.
    init<Root: HasDefaults>(
        _ name: String, _ form: TypedForm<Value>, required property: WritableKeyPath<Root, Value>, _ meaning: String
    ) {
        self.init(name, form, property, nil, nil, meaning)
    }
}

/// A key of any type.
protocol DeclaredKey {
    var declaration: ScenarioKey { get }
    /// Reads the value and reports its mistakes.
    func read(in fields: Fields)
    /// Reads the value and sets the key's property of `root`; `false` if the value is bad, or missing but required.
    func set<Root>(_ root: inout Root, from fields: Fields) -> Bool
}

extension DeclaredKey {
    var name: String { declaration.name }
}

extension FileKey: DeclaredKey {
    func read(in fields: Fields) { _ = fields[self] }

    func set<Root>(_ root: inout Root, from fields: Fields) -> Bool {
        guard fields.has(self) else { return !declaration.isRequired }
        guard let value = fields[self] else { return false }
        switch property {
        case nil: break
        case let property as WritableKeyPath<Root, Value>: root[keyPath: property] = value
        case let property as WritableKeyPath<Root, Value?>: root[keyPath: property] = value
        default: preconditionFailure("\(name) sets no property of \(Root.self)")
        }
        return true
    }
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

extension ScenarioMapping where Value: HasDefaults {
    /// A value whose properties the keys set.
    func value(of fields: Fields) -> Value? { fields.value(of: declaredKeys) }
}

extension Fields {
    /// A value with the properties that the keys set; `nil` if a required key is missing, or any value is bad.
    func value<Value: HasDefaults>(of keys: [any DeclaredKey]) -> Value? {
        var value = Value.defaults
        let areGood = keys.map { $0.set(&value, from: self) }
        return areGood.allSatisfy(\.self) ? value : nil
    }
}

/// The form of a value, and the function that reads it.
struct TypedForm<Value> {
    let form: ScenarioForm
    /// A value in the form of a file.
    var written: (Value) -> String = { "\($0)" }
    /// Reads the value; `nil` when it is bad, after reporting the mistake.
    let read: (Field) -> Value?

    /// The same form with its value converted.
    func map<New>(_ make: @escaping (Value, Field) -> New?) -> TypedForm<New> {
        TypedForm<New>(form: form) { field in read(field).flatMap { make($0, field) } }
    }

    /// A mapping with these keys.
    static func mapping<Keys: ScenarioMapping>(_ keys: Keys) -> Self where Keys.Value == Value {
        Self(form: keys.form) { field in
            guard let fields = field.fields(keys) else { return nil }
            if keys.isReadWhole { fields.readAll(keys) }
            return keys.value(of: fields)
        }
    }

    /// A list of values.
    ///
    /// - Parameter called: the name of the list in messages.
    static func list<Element>(
        of element: TypedForm<Element>, count: ClosedRange<UInt64>, called: String
    ) -> Self where Value == [Element] {
        Self(form: .list(of: element.form, count: .count(count))) { field in
            guard let elements = field.elements(count: count, called: called) else { return nil }
            let values = elements.compactMap(element.read)
            return values.count == elements.count ? values : nil
        }
    }
}

extension TypedForm<String> {
    static var text: Self { Self(form: .text) { $0.text() } }
    static var name: Self { Self(form: .name) { $0.name() } }
}

extension TypedForm<Bool> {
    static var truth: Self { Self(form: .truth) { $0.truth() } }
}

extension TypedForm<Double> {
    static func fraction(_ limit: FractionLimit) -> Self {
        Self(form: .fraction(limit), written: limit.written) { $0.fraction(limit) }
    }
}

extension TypedForm<UInt64> {
    /// Bytes or nanoseconds.
    static func amount(_ limit: AmountLimit) -> Self {
        Self(form: .amount(limit), written: limit.text) { $0.amount(limit) }
    }
}

extension TypedForm where Value: FixedWidthInteger {
    static func count(_ range: ClosedRange<UInt64>) -> Self {
        let limit = AmountLimit.count(range)
        return Self(form: .amount(limit)) { $0.amount(limit).map(Value.init(clamping:)) }
    }
}

extension TypedForm where Value: RawRepresentable<String> & CaseIterable {
    /// One of the words of a type.
    static func word(_ type: Value.Type) -> Self {
        let words = type.allCases.map(\.rawValue)
        return Self(form: .choice(words), written: \.rawValue) { field in
            if case .scalar(let text, _) = field.node.content, let word = Value(rawValue: text) { return word }
            return field.mistake(allowed: ScenarioMessage.list(words), hint: field.didYouMean(in: words))
        }
    }
}
