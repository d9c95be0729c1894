/// The operations of a few callers, each in sequence; `explore` tries them in many interleavings.
package struct ScheduleScript: Codable, Hashable, Sendable {
    /// The maximum number of callers of a script.
    package static let callersMax = 8
    /// The maximum number of operations of a caller.
    package static let operationsMax = 32
    /// The maximum number of keys, which are numbered from 0.
    package static let keysMax = 8

    /// The operations of each caller.
    package var callers: [[ScriptedOperation]]

    /// The most entries that the cache of this script may hold; `nil` for that of the scenario.
    package var entryLimit: Int?

    package init(callers: [[ScriptedOperation]], entryLimit: Int? = nil) {
        (self.callers, self.entryLimit) = (callers, entryLimit)
    }

    /// Whether a caller moves the clock.
    package var movesClock: Bool { callers.contains { $0.contains { $0.kind == .expire } } }

    /// The number of operations of all callers.
    package var operationCount: Int { callers.reduce(0) { $0 + $1.count } }

    /// One more than the highest key used; 0 when no operation has a key.
    package var keyCount: Int {
        callers.reduce(0) { $1.reduce($0) { max($0, $1.kind.hasKey ? Int($1.key) + 1 : 0) } }
    }

    /// One line per caller, such as `load 0, write 1, clear`.
    package var lines: [String] {
        callers.map { $0.map(\.description).joined(separator: ", ") }
    }
}

/// One operation of a caller.
package struct ScriptedOperation: Codable, Hashable, Sendable, CustomStringConvertible {
    /// The kind of operation.
    package enum Kind: String, Codable, Hashable, Sendable, CaseIterable {
        /// Look up, and on a miss fetch and insert.
        case load
        /// A load whose fetch fails, if this caller is the one that fetches.
        case failingLoad = "failing-load"
        /// A load that its caller cancels at some time, possibly after it has ended.
        case cancelledLoad = "cancelled-load"
        case read, write, remove, clear
        /// Asks the cache for its statistics, which must not count more than its limit.
        case statistics
        /// Moves the clock past the lifetime of every entry, where the cache has lifetimes by the configured clock.
        case expire

        /// Whether it concerns one key.
        package var hasKey: Bool { self != .clear && self != .statistics && self != .expire }
    }

    package var kind: Kind
    /// The key; meaningless where the kind has none.
    package var key: UInt32

    package init(_ kind: Kind, key: UInt32 = 0) { (self.kind, self.key) = (kind, key) }

    /// Parses an operation such as `load 0` or `clear`; `nil` when it is not valid.
    package init?(_ text: some StringProtocol) {
        let words = text.split(separator: " ", omittingEmptySubsequences: true)
        guard let first = words.first, let kind = Kind(rawValue: String(first)) else { return nil }
        if !kind.hasKey {
            guard words.count == 1 else { return nil }
            self.init(kind)
        } else {
            guard words.count == 2, let key = UInt32(words[1]), key < ScheduleScript.keysMax else { return nil }
            self.init(kind, key: key)
        }
    }

    package var description: String { kind.hasKey ? "\(kind.rawValue) \(key)" : kind.rawValue }
}
