import CacheStrategies
import Locks

/// Counts the members that are alive, so that a test detects a value that is leaked.
public final class InstanceCounter: Sendable {
    /// What a member is counted by: alive from its initialization to its deinitialization.
    public final class Member: Sendable {
        private let counter: InstanceCounter

        fileprivate init(_ counter: InstanceCounter) {
            self.counter = counter
            counter.count.withLock { $0 += 1 }
        }

        deinit {
            counter.count.withLock { $0 -= 1 }
            let hook = counter.hook.withLock { hook in
                defer { hook = nil }
                return hook
            }
            hook?()
        }
    }

    /// All counters of the process by number, so that a value decoded from bytes finds its counter.
    private static let all = Locked([UInt32: WeakCounter]())

    /// Unique in the process.
    public let number: UInt32
    private let count = Locked(0)
    private let hook = Locked<(@Sendable () -> Void)?>(nil)

    /// A counter without members.
    public init() {
        number = Self.all.withLock { all in
            var number = UInt32.random(in: 1 ... .max)
            while all[number] != nil { number = .random(in: 1 ... .max) }
            all[number] = WeakCounter(value: nil)
            return number
        }
        Self.all.withLock { [number] all in all[number] = WeakCounter(value: self) }
    }

    deinit { Self.all.withLock { [number] all in all[number] = nil } }

    /// The counter with a number, while it lives.
    public static func numbered(_ number: UInt32) -> InstanceCounter? { all.withLock { $0[number]?.value } }

    /// The number of members that are alive.
    public var alive: Int { count.withLock { $0 } }

    /// Registers a closure that runs when the next member is released, on the same thread.
    public func onNextRelease(_ body: @escaping @Sendable () -> Void) { hook.withLock { $0 = body } }

    /// A new member.
    public func member() -> Member { Member(self) }

    private struct WeakCounter: Sendable {
        weak let value: InstanceCounter?
    }
}
