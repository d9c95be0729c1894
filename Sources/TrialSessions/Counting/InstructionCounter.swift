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

    /// The same order of keys in every dictionary, so that every process does the same.
    static let environment = ["SWIFT_DETERMINISTIC_HASHING": "1"]
}
