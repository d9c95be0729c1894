import Foundation

/// Operations of a strategy that took part in an exploration without being ordered by it.
package struct UnseenOrders: OptionSet, Codable, Hashable, Sendable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// All of its threads and locks, because nothing orders threads here.
    package static let threads = UnseenOrders(rawValue: 1 << 19)

    /// Whether something took part in an order that is not controlled, so that what broke in it proves nothing. Without
    /// the library nothing says whether threads took part.
    var voids: Bool { !subtracting(.threads).isEmpty }

    /// The environment variable with the path of a file in which a process notes all that it did not see, so that it is
    /// known when an order kills the process.
    package static let fileVariable = "CACHE_TRIALS_UNSEEN"

    /// What a process noted in its file; nothing if it noted nothing.
    package init(ofFile path: String) {
        let bytes = FileManager.default.contents(atPath: path) ?? Data()
        self.init(rawValue: bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) })
    }

    /// What took part, in a sentence about what broke beside it; `nil` if all was controlled.
    package var doubt: String? {
        voids ? "in an interleaving in which \(names.joined(separator: ", ")) took part, which is not controlled" : nil
    }

    /// The same about what was not there yet at the end: a caller's answer, or the end of a load.
    var doubtOfLosses: String? {
        contains(.threads) ? "without the library ThreadSchedule, because one of its threads may still go on" : nil
    }

    /// Each in a few words; the first are those of `thread_unseen`.
    package var names: [String] {
        let all: [(UnseenOrders, String)] = [
            (UnseenOrders(rawValue: 1), "a lock shared with threads that are not controlled"),
            (UnseenOrders(rawValue: 2), "signals from threads that are not controlled"),
            (UnseenOrders(rawValue: 4), "a dispatch source"),
            (UnseenOrders(rawValue: 8), "tasks on the runtime's pool"),
            (UnseenOrders(rawValue: 32), "work of threads that are not controlled on its queues"),
            (UnseenOrders(rawValue: 16), "more than 64 threads or 16,384 locks and atomics"),
            (.threads, "its threads, which need the library ThreadSchedule"),
        ]
        return all.filter { contains($0.0) }.map(\.1)
    }
}
