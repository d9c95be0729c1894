import TrialModel

/// The options that the runtime knows, as listed by the runtime itself for `TSAN_OPTIONS=help=1`.
///
/// The runtime silently ignores an option that it doesn't know, so options are checked against this list.
package struct SanitizerFlags: Sendable, Hashable {
    /// The names, in the runtime's order.
    package let names: [String]
    /// The names of the boolean options.
    package var switches: Set<String> = []
}

extension SanitizerFlags {
    /// Reads the runtime's list; nil when the text holds none. O(length).
    ///
    /// A name follows one tab; its description follows two tabs and ends with the value. There may be other output
    /// before and after the list.
    package init?(help text: String) {
        var names: [String] = []
        var switches: Set<String> = []
        var isInList = false
        for line in text.utf8.split(separator: 0x0A).lazy.map({ Substring($0) }) {
            if line.hasPrefix("Available flags for ") {
                isInList = true
            } else if isInList, line.hasPrefix("\t"), !line.hasPrefix("\t\t") {
                names.append(String(line.dropFirst()))
            } else if isInList, line.hasSuffix("(Current Value: true)") || line.hasSuffix("(Current Value: false)") {
                if let name = names.last { switches.insert(name) }
            }
        }
        guard !names.isEmpty else { return nil }
        self.init(names: names, switches: switches)
    }

    /// The known name with the most similar spelling; nil when none is near. O(names · length²).
    func nearest(to name: String) -> String? { NearestName.of(name, in: names) }
}
