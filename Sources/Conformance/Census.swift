import CacheStrategies
import Locks

/// Counts the members that are alive, so that a test can see a value that nobody can reach any more.
package final class Census: Sendable {
    /// What a member is counted by: alive from its start to its end.
    package final class Member: Sendable {
        private let census: Census

        fileprivate init(_ census: Census) {
            self.census = census
            census.count.withLock { $0 += 1 }
        }

        deinit {
            census.count.withLock { $0 -= 1 }
            let hook = census.hook.withLock { hook in
                defer { hook = nil }
                return hook
            }
            hook?()
        }
    }

    /// All censuses of the process by number, so that what is decoded from bytes finds the one it belongs to.
    private static let all = Locked([UInt32: WeakCensus]())

    /// Unique in the process.
    package let number: UInt32
    private let count = Locked(0)
    private let hook = Locked<(@Sendable () -> Void)?>(nil)

    package init() {
        number = Self.all.withLock { all in
            var number = UInt32.random(in: 1 ... .max)
            while all[number] != nil { number = .random(in: 1 ... .max) }
            all[number] = WeakCensus(value: nil)
            return number
        }
        Self.all.withLock { [number] all in all[number] = WeakCensus(value: self) }
    }

    deinit { Self.all.withLock { [number] all in all[number] = nil } }

    /// The census with a number, while it lives.
    package static func numbered(_ number: UInt32) -> Census? { all.withLock { $0[number]?.value } }

    /// How many members are alive.
    package var alive: Int { count.withLock { $0 } }

    /// Has something done when the next member goes, where it goes.
    package func onNextRelease(_ body: @escaping @Sendable () -> Void) { hook.withLock { $0 = body } }

    /// A new member.
    package func member() -> Member { Member(self) }

    private struct WeakCensus: Sendable {
        weak let value: Census?
    }
}
