import TrialModel

/// The options that the runtime knows, as it lists them itself for `TSAN_OPTIONS=help=1`.
///
/// An option that it doesn't know it ignores without a word; so they are checked against this list.
package struct SanitizerFlags: Sendable, Hashable {
    /// The names, in the runtime's order.
    package let names: [String]
    /// The names of the options that are on or off.
    package let switches: Set<String>

    package init(names: [String], switches: Set<String> = []) {
        self.names = names
        self.switches = switches
    }

    /// Reads the runtime's list; nil when the text holds none. O(length).
    ///
    /// A name stands behind one tab, its description behind two, with the value at the end. The list may have other
    /// output before and behind it.
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

    /// The known name that is written most like another; nil when none is near. O(names · length²).
    func nearest(to name: String) -> String? { NearestName.of(name, in: names) }
}
