import TrialModel

/// A mapping from the words of a type to numbers.
struct NumberKeys<Word: RawRepresentable<String> & CaseIterable & Hashable>: MappingKeys {
    private let keys: [(word: Word, key: FileKey<Double>)]

    init(_ key: (Word) -> FileKey<Double>) {
        keys = Word.allCases.map { ($0, key($0)) }
    }

    var declaredKeys: [any DeclaredKey] { keys.map(\.key) }
    var rule: ScenarioForm.Rule { .notEmpty }

    /// The numbers of the words that are present; `nil` when one of them is bad.
    func numbers(of fields: Fields) -> [Word: Double]? {
        fields.readAll(self)
        var numbers: [Word: Double] = [:]
        for (word, key) in keys where fields.has(key) {
            guard let number = fields[key] else { return nil }
            numbers[word] = number
        }
        return numbers
    }
}

extension TypedForm<[Metric: Double]> {
    /// The smallest difference that compare reports, for each metric.
    static var smallestDifferences: Self {
        let keys = NumberKeys<Metric> { metric in
            let own = metric.smallestDifference
            let text = FractionLimit.text((own.share ?? own.amount) * 100)
            return FileKey(
                metric.rawValue, .fraction(.share(0...1, "10%")),
                absent: own.share == nil ? "\(text) pp" : "\(text)%",
                own.share == nil ? "In percentage points (pp) of the ratio." : "As a share of the smaller side.")
        }
        return Self(form: keys.form) { field in
            let fields = field.fields(keys)
            fields?.refuseEmpty(keys.form)
            return fields.flatMap(keys.numbers)
        }
    }
}

extension TypedForm<OperationMix> {
    /// How often each operation is sent to a pool.
    static var mixOfPool: Self {
        let keys = NumberKeys<OperationKind> { kind in
            FileKey(kind.rawValue, .fraction(ScenarioLimits.weight), default: 0, kind.meaning)
        }
        return Self(form: keys.form) { field in
            if case .scalar("trace", isQuoted: false) = field.node.content {
                if field.decoder.keySource.isTrace { return .traced }
                return field.mistake(allowed: "only with a trace in keys")
            }
            guard let fields = field.fields(keys), let numbers = keys.numbers(of: fields) else { return nil }
            let weights = numbers.filter { $0.value > 0 }
            // A misspelt operation is reported separately; the sum of the weights is then unknown.
            if weights.isEmpty, fields.hasUnknownKeys { return nil }
            guard !weights.isEmpty else {
                let kinds = ScenarioMessage.list(OperationKind.allCases.map(\.rawValue))
                return field.mistake(found: "no weight above 0", allowed: "a weight above 0 for one of \(kinds)")
            }
            return OperationMix(weights)
        }
    }

    /// How often each operation is sent, or that the trace decides it.
    static var mixOfPhase: Self {
        let pool = mixOfPool
        return Self(form: .any([pool.form, .choice(["trace"])]), read: pool.read)
    }
}

extension OperationKind {
    fileprivate var meaning: String {
        switch self {
        case .read: "Look up a key, without a load."
        case .load: "Look up, and on a miss fetch from the origin and insert."
        case .write: "Insert a new version of the value."
        case .remove: "Remove one key."
        case .clear: "Remove all keys."
        case .burst: "Many callers load one key at once."
        case .prefetch: "Announce the keys that the client looks up next, without waiting for them; see prefetch."
        }
    }
}
