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
        Self(form: .list(of: element.form, count: AmountLimit(.count, count))) { field in
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
        let limit = AmountLimit(.count, range)
        return Self(form: .amount(limit)) { $0.amount(limit).map(Value.init(clamping:)) }
    }
}

extension TypedForm where Value: RawRepresentable<String> & CaseIterable {
    /// One of the words of a type.
    static func word(_ type: Value.Type) -> Self {
        let words = type.allCases.map(\.rawValue)
        return Self(form: .choice(words), written: \.rawValue) { field in
            if case .scalar(let text, _) = field.node.content, let word = Value(rawValue: text) { return word }
            field.report(allowed: ScenarioMessage.list(words), hint: field.didYouMean(in: words))
            return nil
        }
    }
}
