/// The loads that have begun and not ended, and whether their keys were changed meanwhile.
///
/// A fetch that began before a write may bring what was true before it; inserted after the write it would undo it.
/// Everything is O(1) but for ``noteChangeOfAll()``.
struct LoadsUnderWay {
    /// One load.
    struct Ticket: Sendable {
        fileprivate let digest: KeyDigest
        fileprivate let changes: UInt64
    }

    private var loads: [KeyDigest: (count: Int, changes: UInt64)] = [:]
    /// Loads under way.
    private(set) var count = 0

    /// Notes that a load of a key begins.
    mutating func begin(_ digest: KeyDigest) -> Ticket {
        count += 1
        loads[digest, default: (0, 0)].count += 1
        return Ticket(digest: digest, changes: loads[digest]?.changes ?? 0)
    }

    /// Notes that a load has ended; `true` when its key wasn't changed since it began.
    mutating func end(_ ticket: Ticket) -> Bool {
        guard let load = loads[ticket.digest] else { return false }
        count -= 1
        if load.count == 1 { loads[ticket.digest] = nil } else { loads[ticket.digest]?.count -= 1 }
        return load.changes == ticket.changes
    }

    /// Notes that a key was written or removed.
    mutating func noteChange(_ digest: KeyDigest) {
        guard count > 0 else { return }
        loads[digest]?.changes += 1
    }

    /// Notes that all keys were removed.
    mutating func noteChangeOfAll() {
        for digest in loads.keys { noteChange(digest) }
    }
}
