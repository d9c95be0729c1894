package import TimedStrategies

/// What counts the instructions of a run.
package enum InstructionCounter: Sendable {
    /// The kernel counts the processor's instructions within the processes of the trials. Tests count another event.
    case kernel(CounterEvent)
    /// Callgrind counts, around those processes.
    case callgrind(Callgrind)

    /// Callgrind, when it counts.
    package var callgrind: Callgrind? {
        if case .callgrind(let callgrind) = self { callgrind } else { nil }
    }

    /// The environment that makes every process do the same: dictionaries have one order of keys, and the allocator
    /// returns no pages to the system, which jemalloc does after some time.
    static let environment = [
        "SWIFT_DETERMINISTIC_HASHING": "1", "MALLOC_CONF": "dirty_decay_ms:-1,muzzy_decay_ms:-1",
    ]
}
