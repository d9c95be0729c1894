/// Operations of a strategy whose order the exploration of threads can't control.
package struct UnseenOrders: OptionSet, Codable, Hashable, Sendable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// A lock held by a thread that is not controlled.
    package static let lock = UnseenOrders(rawValue: 1)
    /// A signal by a thread that is not controlled.
    package static let signal = UnseenOrders(rawValue: 2)
    /// A source of libdispatch.
    package static let source = UnseenOrders(rawValue: 4)
    /// A task on the runtime's pool.
    package static let task = UnseenOrders(rawValue: 8)
    /// More threads or locks than the tables can hold.
    package static let overflow = UnseenOrders(rawValue: 16)
    /// A lock of `Synchronization.Mutex` for which a thread had to wait.
    package static let mutex = UnseenOrders(rawValue: 32)
    /// Atomics or `Synchronization.Mutex`, as the strategy declares.
    package static let declaredAtomics = UnseenOrders(rawValue: 1 << 16)
    /// Atomics or `Synchronization.Mutex` that the strategy does not declare.
    package static let foundAtomics = UnseenOrders(rawValue: 1 << 17)
    /// All of its threads and locks, because nothing orders threads here.
    package static let threads = UnseenOrders(rawValue: 1 << 18)

    /// Each in a few words.
    package var names: [String] {
        let all: [(UnseenOrders, String)] = [
            (.lock, "a lock shared with threads that are not controlled"),
            (.signal, "signals from threads that are not controlled"),
            (.source, "a dispatch source"), (.task, "tasks on the runtime's pool"),
            (.overflow, "more than 64 threads or 2,048 locks"), (.mutex, "Synchronization.Mutex"),
            (.declaredAtomics, "its atomics"), (.foundAtomics, "atomics that it does not declare"),
            (.threads, "the locks and queues of its threads"),
        ]
        return all.filter { contains($0.0) }.map(\.1)
    }
}
