/// Operations of a strategy that took part in an exploration without being ordered by it.
package struct UnseenOrders: OptionSet, Codable, Hashable, Sendable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// All of its threads and locks, because nothing orders threads here.
    package static let threads = UnseenOrders(rawValue: 1 << 19)

    /// Whether something took part in an order that is not controlled, so that what broke in it proves nothing. Without
    /// the library nothing says whether threads took part.
    var voids: Bool { !subtracting(.threads).isEmpty }

    /// Each in a few words; the first are those of `thread_unseen`.
    package var names: [String] {
        let all: [(UnseenOrders, String)] = [
            (UnseenOrders(rawValue: 1), "a lock shared with threads that are not controlled"),
            (UnseenOrders(rawValue: 2), "signals from threads that are not controlled"),
            (UnseenOrders(rawValue: 4), "a dispatch source"),
            (UnseenOrders(rawValue: 8), "tasks on the runtime's pool"),
            (UnseenOrders(rawValue: 16), "more than 64 threads or 16,384 locks and atomics"),
            (.threads, "its threads, which need the library ThreadSchedule"),
        ]
        return all.filter { contains($0.0) }.map(\.1)
    }
}
