/// The answer to `INFO`: lines of `name:value`.
package struct RedisInfo: Sendable {
    private let fields: [Substring: Substring]

    package init(_ text: String) {
        var fields: [Substring: Substring] = [:]
        for line in text.split(whereSeparator: \.isNewline) {
            guard let colon = line.firstIndex(of: ":") else { continue }
            fields[line[..<colon]] = line[line.index(after: colon)...]
        }
        self.fields = fields
    }

    package subscript(name: String) -> String? { fields[name[...]].map(String.init) }

    /// Entries of the first database, which a new connection uses; `INFO` has no line for it while it is empty.
    package var entryCount: Int? {
        guard let line = self["db0"] else { return 0 }
        let keys = line.split(separator: ",").first { $0.hasPrefix("keys=") }
        return keys.flatMap { Int($0.dropFirst(5)) }
    }
}
