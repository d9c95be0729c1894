import TrialModel

/// Decodes the tree of a YAML file into a scenario, and collects all mistakes instead of stopping at the first.
final class ScenarioDecoder {
    /// The mistakes found so far.
    private(set) var mistakes: [ScenarioMistake] = []

    let reader: ScenarioReader
    let file: String
    let duplicates: [YAMLPosition: YAMLStructure.DuplicateKey]

    // MARK: What later values are checked against

    /// The lines of names, by the path of their list.
    var linesOfNames: [Substring: [String: Int]] = [:]
    /// The source of the keys, as far as it is known.
    var keySource = KeySource.chosen
    /// The keys, once they are read; `nil` when they are bad.
    var keys: KeySpace?
    /// The values, once they are read; `nil` when they are bad.
    var values: ValueSpecification?
    /// The dimensions of the scenario's sweep.
    var sweep: [SweptDimension] = []
    /// Whether the origin has a timeout.
    var hasTimeout = false

    /// The source of the keys.
    enum KeySource {
        /// Keys are chosen by popularity.
        case chosen
        /// Keys come from a trace; `nil` when it could not be read.
        case trace(KeyTraceFacts?)
        /// Keys come from pools; `nil` when one of them is bad.
        case pools([Pool]?)

        var isTrace: Bool { if case .trace = self { true } else { false } }
        var hasPools: Bool { if case .pools = self { true } else { false } }

        /// The scenario's pools; empty when one of them is bad.
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

    /// The maximum size of all values together, in bytes; `nil` when it exceeds 64 bits.
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

    /// The product of a count and an amount; `nil` when it exceeds 64 bits.
    static func product(_ count: Int, _ amount: UInt64) -> UInt64? {
        let (product, overflows) = UInt64(clamping: count).multipliedReportingOverflow(by: amount)
        return overflows ? nil : product
    }
}
