/// Operations of a strategy whose order the exploration of threads can't control.
package struct UnseenOrders: Codable, Hashable, Sendable, ExpressibleByArrayLiteral {
    private var bits: UInt32
    /// The variables in question: `Cache.hits (Atomic<Int>)`.
    private var atomics: [String] = []
    private var instructions: [String] = []

    /// The set of some bits, without names of variables.
    package init(rawValue: UInt32) {
        bits = rawValue
    }

    /// The members of all of them.
    package init(arrayLiteral elements: UnseenOrders...) {
        bits = 0
        elements.forEach { formUnion($0) }
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
    /// Not unseen: threads switched at atomics, because the strategy's code is compiled for it.
    package static let switchedAtomics = UnseenOrders(rawValue: 64)
    /// Atomics or `Synchronization.Mutex`, as the strategy declares.
    package static let declaredAtomics = UnseenOrders(rawValue: 1 << 16)
    /// Atomics or `Synchronization.Mutex` that the strategy does not declare.
    package static let foundAtomics = UnseenOrders(rawValue: 1 << 17)
    /// All of its threads and locks, because nothing orders threads here.
    package static let threads = UnseenOrders(rawValue: 1 << 19)

    /// Atomic instructions in code that is not compiled for it.
    package static let instructions = UnseenOrders(rawValue: 1 << 18)

    /// The atomics that a type has.
    ///
    /// - Parameter isDeclared: whether the strategy says that it has some.
    init(_ stored: [StoredTypes.Finding], isDeclared: Bool) {
        bits = 0
        atomics = stored.filter { $0.kind == .atomic }.map(\.description)
        instructions = stored.filter { $0.kind == .instruction }.map(\.description)
        if isDeclared { formUnion(.declaredAtomics) } else if !atomics.isEmpty { formUnion(.foundAtomics) }
        if !instructions.isEmpty { formUnion(.instructions) }
    }

    /// Adds the members of another set.
    package mutating func formUnion(_ other: UnseenOrders) {
        bits |= other.bits
        if atomics.isEmpty { atomics = other.atomics }
        if instructions.isEmpty { instructions = other.instructions }
    }

    /// The members of both sets.
    package func union(_ other: UnseenOrders) -> UnseenOrders {
        var both = self
        both.formUnion(other)
        return both
    }

    /// Whether all members of another set are in this one.
    package func contains(_ other: UnseenOrders) -> Bool { bits & other.bits == other.bits }

    /// Whether every operation could be controlled.
    package var isEmpty: Bool { names.isEmpty }

    /// Each in a few words.
    package var names: [String] {
        let all: [(UnseenOrders, String)] = [
            (.lock, "a lock shared with threads that are not controlled"),
            (.signal, "signals from threads that are not controlled"),
            (.source, "a dispatch source"), (.task, "tasks on the runtime's pool"),
            (.overflow, "more than 64 threads or 16,384 locks and atomics"),
            (.declaredAtomics, Self.text("its atomics", atomics)),
            (.foundAtomics, Self.text("atomics that it does not declare", atomics)),
            (.instructions, Self.text("atomic instructions", instructions)),
            (.threads, "its threads, which need the library ThreadSchedule"),
        ]
        var left = self
        if !contains(.switchedAtomics) {
            // They are most likely those of the atomics that have a name.
            if contains(.declaredAtomics) || contains(.foundAtomics) { left.bits &= ~UnseenOrders.instructions.bits }
        } else if !contains(.instructions) {
            left.bits &= ~UnseenOrders.declaredAtomics.union(.foundAtomics).bits
        }
        return all.filter { left.contains($0.0) }.map(\.1)
    }

    /// - Parameter places: of which the first few are named.
    private static func text(_ what: String, _ places: [String]) -> String {
        guard !places.isEmpty else { return what }
        let more = places.count > 3 ? " and \(places.count - 3) more" : ""
        return "\(what): \(places.prefix(3).joined(separator: ", "))\(more)"
    }
}
