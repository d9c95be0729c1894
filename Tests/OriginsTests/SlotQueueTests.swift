import Locks
import Testing
import TrialModel

@testable import Origins

/// Which requests an origin with slots serves first.
@Suite(.timeLimit(.minutes(1)))
struct SlotQueueTests {
    /// A queue whose requests record their keys when they are served.
    private final class Served: Sendable {
        let keys = Locked<[UInt64]>([])

        func request(_ key: UInt64) -> @Sendable () -> Void { { [self] in keys.withLock { $0.append(key) } } }
        var all: [UInt64] { keys.withLock { $0 } }
    }

    private func request(_ key: UInt64, _ version: UInt64 = 1) -> SlotQueue.Request {
        SlotQueue.Request(key: key, version: version)
    }

    @Test func `as many requests are served at once as there are slots`() {
        var (queue, served) = (SlotQueue(slotCount: 2), Served())
        let isServed = (1...3).map { queue.enter(request($0), .user, serve: served.request($0)) }
        #expect(isServed == [true, true, false])
        queue.leave(request(1))?()
        #expect(served.all == [3])
        let isLast = [2, 3].map { queue.leave(request($0)) == nil }
        #expect(isLast == [true, true])
    }

    @Test func `users come before prefetches, and each kind in its order`() {
        var (queue, served) = (SlotQueue(slotCount: 1), Served())
        _ = queue.enter(request(0), .utility, serve: {})
        for key in 1...4 as ClosedRange<UInt64> {
            _ = queue.enter(request(key), key < 3 ? .utility : .user, serve: served.request(key))
        }
        for key in [0, 3, 4, 1, 2] as [UInt64] { queue.leave(request(key))?() }
        #expect(served.all == [3, 4, 1, 2])
    }

    @Test func `a raised request goes behind the users that are already waiting`() {
        var (queue, served) = (SlotQueue(slotCount: 1), Served())
        _ = queue.enter(request(0), .user, serve: {})
        for key in 1...3 as ClosedRange<UInt64> {
            _ = queue.enter(request(key), key == 3 ? .user : .utility, serve: served.request(key))
        }
        queue.raise(2)
        queue.raise(2)
        queue.raise(9)
        for key in [0, 3, 2, 1] as [UInt64] { queue.leave(request(key))?() }
        #expect(served.all == [3, 2, 1])
    }

    @Test func `a request that leaves while it waits is never served`() {
        var (queue, served) = (SlotQueue(slotCount: 1), Served())
        _ = queue.enter(request(0), .user, serve: {})
        for key in 1...2 as ClosedRange<UInt64> { _ = queue.enter(request(key), .user, serve: served.request(key)) }
        let hasNext = [1, 1].map { queue.leave(request($0)) != nil }
        queue.leave(request(0))?()
        #expect(served.all == [2] && hasNext == [false, false])
        let isNextServed = queue.leave(request(2)) != nil
        let isFree = queue.enter(request(5), .utility, serve: {})
        #expect(!isNextServed && isFree)
    }

    @Test(arguments: [
        (nil, LoadPriority.user), ("u=5", .utility), ("u=3", .user), ("u=0", .user), ("u=7, i", .utility), ("i", .user),
        ("u=8", .user), ("u=-1", .user), ("u=5, u=1", .user), ("", .user), (",,u=,", .user),
        ("u=99999999999999999999", .user),
    ])
    func `a header sets the priority, and an unknown one is a user's`(header: String?, priority: LoadPriority) {
        #expect(LoadPriority(header: header) == priority)
    }
}
