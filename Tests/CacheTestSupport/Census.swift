import CacheStrategies

/// Counts the members that are alive, so that a test can see a value that nobody can reach any more.
package final class Census: Sendable {
    /// A value that is counted from its start to its end.
    package final class Member: Sendable {
        private let census: Census

        fileprivate init(_ census: Census) {
            self.census = census
            census.count.withLock { $0 += 1 }
        }

        deinit { census.count.withLock { $0 -= 1 } }
    }

    private let count = Locked(0)

    package init() {}

    /// How many members are alive.
    package var alive: Int { count.withLock { $0 } }

    /// A new member.
    package func member() -> Member { Member(self) }
}
