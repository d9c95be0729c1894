public import CacheStrategies
public import Origins
public import TrialModel

/// The outcome and the times of one operation, which a strategy's kernel returns to the loop.
///
/// Small enough to be returned in registers; returning it through memory costs 9 ns.
@usableFromInline
package struct TimedAnswer: Sendable {
    /// From the strategy's call to its return.
    @usableFromInline package let span: TimeSpan
    /// What the strategy answered.
    @usableFromInline package let answer: Answer

    /// What a strategy answered.
    @usableFromInline
    package enum Answer: Sendable {
        /// A lookup or a load found the value.
        case hit(Payload)
        /// A lookup found no value.
        case miss
        /// This caller's fetch returned the value.
        case loaded(Payload)
        /// The caller waited for a fetch already in flight.
        case joined(Payload)
        /// A load threw.
        case failed(any Error)
        /// A write, a removal or a clear ended.
        case done
        // Hits with their tier. They are separate cases, because a tier beside the value would need another register.
        case memoryHit(Payload), diskHit(Payload), decodedHit(Payload), encodedHit(Payload), serverHit(Payload)

        /// A lookup's answer.
        @inlinable
        @inline(__always)
        init(_ found: TieredValue<Payload>?) {
            if let found { self.init(found.value, in: found.tier) } else { self = .miss }
        }

        /// A load's answer.
        @inlinable
        @inline(__always)
        init(_ loaded: Loaded<Payload>) {
            switch loaded.outcome {
            case .hit: self.init(loaded.value, in: loaded.tier)
            case .loaded: self = .loaded(loaded.value)
            case .joined: self = .joined(loaded.value)
            }
        }

        /// A hit's answer.
        @inlinable
        @inline(__always)
        init(_ value: Payload, in tier: HitTier?) {
            self =
                switch tier {
                case nil: .hit(value)
                case .memory: .memoryHit(value)
                case .disk: .diskHit(value)
                case .decoded: .decodedHit(value)
                case .encoded: .encodedHit(value)
                case .server: .serverHit(value)
                }
        }

        /// The tier of a hit; `nil` when the strategy does not report it, and for other answers.
        package var tier: HitTier? {
            switch self {
            case .memoryHit: .memory
            case .diskHit: .disk
            case .decodedHit: .decoded
            case .encodedHit: .encoded
            case .serverHit: .server
            case .hit, .miss, .loaded, .joined, .failed, .done: nil
            }
        }

        /// The value that was found or fetched, if any.
        package var value: Payload? {
            switch self {
            case .hit(let value), .loaded(let value), .joined(let value), .memoryHit(let value), .diskHit(let value),
                .decodedHit(let value), .encodedHit(let value), .serverHit(let value):
                value
            case .miss, .failed, .done: nil
            }
        }

        /// The error that a load threw.
        package var error: (any Error)? {
            if case .failed(let error) = self { error } else { nil }
        }

        /// The outcome; a load that threw counts as failed, even if it was cancelled.
        @inlinable
        @inline(__always)
        package var outcome: Outcome {
            switch self {
            case .hit, .memoryHit, .diskHit, .decodedHit, .encodedHit, .serverHit: .hit
            case .miss, .loaded: .miss
            case .joined: .joined
            case .failed: .failed
            case .done: .done
            }
        }
    }

    /// Creates an answer from two readings of the clock.
    @inlinable
    @inline(__always)
    package init(_ start: UInt64, _ end: UInt64, _ answer: Answer) {
        span = TimeSpan(start, end)
        self.answer = answer
    }
}

/// The time span of an operation, in nanoseconds on the trial's clock.
@usableFromInline
package struct TimeSpan: Hashable, Sendable {
    @usableFromInline package let start: UInt64
    @usableFromInline package let end: UInt64

    @inlinable
    @inline(__always)
    package init(_ start: UInt64, _ end: UInt64) {
        self.start = start
        self.end = end
    }

    /// The duration in nanoseconds.
    @inlinable package var nanoseconds: UInt64 { end &- start }
}
