/// The form of a value, and how a value of it is read.
struct TypedForm<Value> {
    let form: ScenarioForm
    /// A value as a file would write it.
    var written: (Value) -> String = { "\($0)" }
    /// The value; `nil` when it is bad, which has been reported then.
    let read: (Field) -> Value?

    /// The same form, of which something else is made.
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
    /// - Parameter called: how messages call the list.
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
    /// One of the words that a type knows.
    static func word(_ type: Value.Type) -> Self {
        let words = type.allCases.map(\.rawValue)
        return Self(form: .choice(words), written: \.rawValue) { field in
            if case .scalar(let text, _) = field.node.content, let word = Value(rawValue: text) { return word }
            field.report(allowed: ScenarioMessage.list(words), hint: field.didYouMean(in: words))
            return nil
        }
    }
}
