/// One of the accesses in a report.
package struct MemoryAccess: Sendable, Hashable {
    /// What was done, in the runtime's words: "Write of size 8", "Previous modifying access of Swift variable".
    package let description: String
    /// The calls that led to the access, the innermost first; empty where the runtime couldn't restore them.
    package internal(set) var frames: [StackFrame] = []
}

extension MemoryAccess {
    /// The first words of a heading of an access.
    private static let firstWords = ["Write ", "Read ", "Atomic ", "Modifying ", "Read-only ", "Previous "]

    /// Reads `  Write of size 8 at 0x7208 by thread T1 (mutexes: write M0):`. O(length of the line).
    init?(heading bytes: Bytes) {
        guard bytes.begins(with: "  ") else { return nil }
        let heading = bytes.dropFirst(2)
        guard Self.firstWords.contains(where: heading.begins(with:)),
            let address = heading.first(" at 0x"), let by = heading[address.upperBound...].first(" by "),
            heading[by.upperBound...].begins(with: "thread T") || heading[by.upperBound...].begins(with: "main thread")
        else { return nil }
        self.init(description: heading[..<address.lowerBound].text)
    }
}
