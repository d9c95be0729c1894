/// What a few callers ask of a cache, each one thing after the other; what `run --explore` tries in many orders.
package struct ScheduleScript: Codable, Hashable, Sendable {
    /// The most callers of a script.
    package static let callersMax = 8
    /// The most operations of a caller.
    package static let operationsMax = 32
    /// The most keys, numbered from 0.
    package static let keysMax = 8

    /// The operations of each caller.
    package var callers: [[ScriptedOperation]]

    package init(callers: [[ScriptedOperation]]) {
        self.callers = callers
    }

    /// All operations together.
    package var operationCount: Int { callers.reduce(0) { $0 + $1.count } }

    /// One more than the highest key that is asked for; 0 when none is.
    package var keyCount: Int {
        callers.reduce(0) { $1.reduce($0) { max($0, $1.kind == .clear ? 0 : Int($1.key) + 1) } }
    }

    /// Each caller in a line, such as `load 0, write 1, clear`.
    package var lines: [String] {
        callers.map { $0.map(\.description).joined(separator: ", ") }
    }
}

/// One thing that a caller of a script asks for.
package struct ScriptedOperation: Codable, Hashable, Sendable, CustomStringConvertible {
    /// What is asked.
    package enum Kind: String, Codable, Hashable, Sendable, CaseIterable {
        /// Look up, and on a miss fetch and insert.
        case load
        /// The same, but if it comes to a fetch of this caller's, that fails.
        case failingLoad = "failing-load"
        /// A load whose caller gives up at some time, or when it is over already.
        case cancelledLoad = "cancelled-load"
        case read, write, remove, clear
    }

    package var kind: Kind
    /// Of no meaning for a clear.
    package var key: UInt32

    package init(_ kind: Kind, key: UInt32 = 0) {
        self.kind = kind
        self.key = key
    }

    /// Reads one such as `load 0` or `clear`; `nil` when it is none.
    package init?(_ text: some StringProtocol) {
        let words = text.split(separator: " ", omittingEmptySubsequences: true)
        guard let first = words.first, let kind = Kind(rawValue: String(first)) else { return nil }
        if kind == .clear {
            guard words.count == 1 else { return nil }
            self.init(.clear)
        } else {
            guard words.count == 2, let key = UInt32(words[1]), key < ScheduleScript.keysMax else { return nil }
            self.init(kind, key: key)
        }
    }

    package var description: String { kind == .clear ? kind.rawValue : "\(kind.rawValue) \(key)" }
}
