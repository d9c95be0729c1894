package import TrialModel

/// One operation as its caller saw it. 40 bytes.
package struct OperationRecord: Hashable, Sendable {
    /// When the strategy was called, in nanoseconds of a clock that all callers and the origin share.
    package var call: UInt64
    /// When it returned; ``never`` when it had not returned by the end of the history.
    package var answer: UInt64
    /// The version of the value that was seen or written; 0 when there was none: a miss, a removal, a failure.
    package var version: UInt64
    /// The number of the requested key; it has no meaning for a clear.
    package var key: UInt32
    /// The number of the key that the value belongs to by its content; ``key`` when there was no value.
    package var valueKey: UInt32
    /// The kind of operation. A caller of a burst is recorded as one that loads.
    package var kind: OperationKind
    /// The outcome. A load with `miss` fetched its value itself; one with `joined` waited for another caller's fetch.
    package var outcome: Outcome
    /// Whether every byte of the value is correct; `true` when there was no value.
    package var isIntact: Bool
    /// Whether the caller was scheduled to cancel, so that a cancellation is its own.
    package var mayGiveUp: Bool

    /// The ``answer`` of an operation that never returned. It is the last operation of its caller.
    package static var never: UInt64 { .max }

    /// Whether it returned.
    package var isAnswered: Bool { answer != Self.never }

    package init(
        _ kind: OperationKind, key: UInt32, version: UInt64 = 0, outcome: Outcome, call: UInt64, answer: UInt64,
        valueKey: UInt32? = nil, isIntact: Bool = true, mayGiveUp: Bool = false
    ) {
        self.call = call
        self.answer = answer
        self.version = version
        self.key = key
        self.valueKey = valueKey ?? key
        self.kind = kind
        self.outcome = outcome
        self.isIntact = isIntact
        self.mayGiveUp = mayGiveUp
    }
}

/// One request as the origin saw it; its version is the one of the value that the origin sent.
package struct RequestRecord: Hashable, Sendable {
    package var key: UInt32
    package var version: UInt64
    /// When it arrived, on the callers' clock.
    package var start: UInt64
    /// When the answer was sent.
    package var end: UInt64
    /// Whether the value was sent; otherwise the request failed or was cancelled.
    package var isAnswered: Bool

    package init(key: UInt32, version: UInt64, start: UInt64, end: UInt64, isAnswered: Bool = true) {
        self.key = key
        self.version = version
        self.start = start
        self.end = end
        self.isAnswered = isAnswered
    }
}
