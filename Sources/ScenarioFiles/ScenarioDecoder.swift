import TrialModel

/// Turns the tree of a YAML file into a scenario, and collects the mistakes instead of stopping at the first.
final class ScenarioDecoder {
    /// What is wrong so far.
    private(set) var mistakes: [ScenarioMistake] = []

    let reader: ScenarioReader
    let file: String
    let duplicates: [YAMLPosition: YAMLStructure.DuplicateKey]

    // MARK: What later values are checked against

    /// Where names stand, by the path of their list.
    var linesOfNames: [Substring: [String: Int]] = [:]
    /// Where the keys come from, as far as it is known.
    var keySource = KeySource.chosen
    /// The keys, once they are read; `nil` when they are bad.
    var keys: KeySpace?
    /// The values, once they are read; `nil` when they are bad.
    var values: ValueSpecification?
    /// The dimensions of the scenario's sweep.
    var sweep: [SweptDimension] = []
    /// Whether the origin says how long a load waits.
    var hasTimeout = false

    /// Where the keys come from.
    enum KeySource {
        /// They are chosen by popularity.
        case chosen
        /// From a trace, of which nothing is known when it could not be read.
        case trace(KeyTraceFacts?)
        /// From pools, of which nothing is known when one of them is bad.
        case pools([Pool]?)

        var isTrace: Bool { if case .trace = self { true } else { false } }
        var hasPools: Bool { if case .pools = self { true } else { false } }

        /// The scenario's pools; none where one of them is bad.
        var pools: [KeyPool] { if case .pools(let pools?) = self { pools.map(\.keys) } else { [] } }
    }

    init(reader: ScenarioReader, file: String, duplicates: [YAMLPosition: YAMLStructure.DuplicateKey]) {
        self.reader = reader
        self.file = file
        self.duplicates = duplicates
    }

    /// The scenario, or `nil` and at least one mistake.
    func scenario(_ root: YAMLNode) -> Scenario? {
        let name = scenarioName()
        let field = Field(decoder: self, path: "", node: root, position: root.isNull ? .start : root.position)
        let keys = ScenarioKeys()
        return field.fields(keys).flatMap { keys.value(of: $0, name: name) }
    }

    /// The file's name without its folders and its extension.
    private func scenarioName() -> String? {
        let base = file.split(separator: "/").last.map(String.init) ?? ""
        let name = [".yaml", ".yml"].first(where: base.hasSuffix).map { String(base.dropLast($0.count)) } ?? base
        guard Field.isName(name) else {
            let found = "the file name \(ScenarioMessage.quote(base))"
            report("", .start, found: found, allowed: ScenarioForm.name.allowed)
            return nil
        }
        return name
    }

    /// - Parameter path: the dotted path of the key.
    func report(_ path: String, _ position: YAMLPosition, found: String, allowed: String, hint: String? = nil) {
        mistakes.append(
            ScenarioMistake(
                file: file, position: position, key: path,
                message: ScenarioMessage.text(found: found, allowed: allowed, hint: hint)))
    }

    /// The most bytes that all values can have together; `nil` when 64 bits can't hold it.
    func mostBytes(keys: KeySpace, values: ValueSpecification) -> UInt64? {
        if values.traced?.sizes == true, case .trace(let facts?) = keySource, let sizes = facts.sizes {
            return sizes.total
        }
        guard let pools = values.pools else { return Self.product(keys.count, values.size.largest) }
        var most: UInt64 = 0
        for pool in pools {
            let (bytes, overflows) = pool.count.multipliedReportingOverflow(by: pool.size.largest)
            let (sum, sumOverflows) = most.addingReportingOverflow(bytes)
            guard !overflows, !sumOverflows else { return nil }
            most = sum
        }
        return most
    }

    /// The product of a count and an amount, if 64 bits can hold it.
    static func product(_ count: Int, _ amount: UInt64) -> UInt64? {
        let (product, overflows) = UInt64(clamping: count).multipliedReportingOverflow(by: amount)
        return overflows ? nil : product
    }
}
