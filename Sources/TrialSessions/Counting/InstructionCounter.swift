package import TimedStrategies

/// What counts the instructions of a run.
package enum InstructionCounter: Sendable {
    /// The kernel, within the processes of the trials: what the processor has carried out. Tests count another event.
    case kernel(CounterEvent)
    /// Callgrind, around them.
    case callgrind(Callgrind)

    /// Callgrind, where it counts.
    package var callgrind: Callgrind? {
        if case .callgrind(let callgrind) = self { callgrind } else { nil }
    }

    /// What makes every process do the same: the same order of keys in every dictionary, and an allocator that gives no pages
    /// back to the system, which jemalloc does when time has passed.
    static let environment = [
        "SWIFT_DETERMINISTIC_HASHING": "1", "MALLOC_CONF": "dirty_decay_ms:-1,muzzy_decay_ms:-1",
    ]
}
