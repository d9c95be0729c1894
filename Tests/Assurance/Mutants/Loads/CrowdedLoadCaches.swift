import CacheStrategies
import Conformance
import Foundation

// Each is `SharedLoadsCache` with one wrong step that shows with many callers, with callers of both kinds, or with
// loads of many keys.

final class WaiterArrayCache: SharedLoadsCache, @unchecked Sendable {
    // Broken on purpose: room for 32 waiting callers.
    private var waiting: [Int: Int] = [:]

    override func noteJoin(_ key: Int) { waiting[key, default: 0] += 1 }

    override func joinable(_ key: Int) -> Flight? {
        if flights[key] == nil { waiting[key] = nil }
        return waiting[key, default: 0] < 32 ? super.joinable(key) : nil
    }

    static let mutant = Mutant(
        "waiters-in-fixed-array", .loads, caughtBy: .conformance(.loadsAreShared),
        "a load has room for 32 waiting callers, and all later ones fetch", WaiterArrayCache.self)
}

final class WaiterByteCache: SharedLoadsCache, @unchecked Sendable {
    // Broken on purpose: with 256 callers the load seems to have none.
    private var callers: [Int: UInt8] = [:]

    override func noteJoin(_ key: Int) { callers[key, default: 0] &+= 1 }

    override func joinable(_ key: Int) -> Flight? {
        if flights[key] == nil { callers[key] = 1 }
        return callers[key] == 0 ? nil : super.joinable(key)
    }

    static let mutant = Mutant(
        "waiters-counted-in-byte", .loads, caughtBy: .conformance(.loadsAreShared),
        "the callers of a load are counted in a byte", WaiterByteCache.self)
}

final class TwoTablesCache: SharedLoadsCache, @unchecked Sendable {
    // Broken on purpose: the two tables know nothing of each other's loads.
    override func flightNumber(of key: Int) -> Int { Self.isForTask ? ~key : key }

    override func overtake(_ key: Int) {
        flights[key] = nil
        flights[~key] = nil
    }

    static let mutant = Mutant(
        "threads-and-tasks-apart", .loads, caughtBy: .conformance(.loadsAreShared),
        "threads share loads with threads, and tasks with tasks", TwoTablesCache.self)
}

final class TasksOnlyJoinCache: SharedLoadsCache, @unchecked Sendable {
    // Broken on purpose: tasks join the loads of threads, and threads don't join those of tasks.
    private var isOfTask: [Int: Bool] = [:]

    override func joinable(_ key: Int) -> Flight? {
        if let flight = super.joinable(key), Self.isForTask || isOfTask[key] != true { return flight }
        isOfTask[key] = Self.isForTask
        return nil
    }

    static let mutant = Mutant(
        "thread-joins-no-task", .loads, caughtBy: .conformance(.loadsAreShared),
        "a thread does not join the load of a task", TasksOnlyJoinCache.self)
}

final class StripedLoadsCache: SharedLoadsCache, @unchecked Sendable {
    // Broken on purpose: a stripe's lock is held while its key is fetched.
    private let stripes = (0..<16).map { _ in NSLock() }

    override func loadBlocking(_ key: Int, fetch: () throws -> Data) throws -> Loaded<StampedBytes> {
        try stripes[key & 15].withLock { try super.loadBlocking(key, fetch: fetch) }
    }

    static let mutant = Mutant(
        "stripe-locked-while-fetching", .loads, caughtBy: .conformance(.loadsDoNotBlockOthers),
        "one of sixteen locks is held while a key is fetched", StripedLoadsCache.self)
}

final class InsertAfterLoadsCache: SharedLoadsCache, @unchecked Sendable {
    // Broken on purpose: an insert waits until no other key is loading. It gives up once, so that callers end, and later
    // than any check waits. One waits at a time: two would block the whole pool of tasks, which ends the process.
    private var hasGivenUp = false
    private var isWaiting = false

    override func insert(_ value: StampedBytes, forKey key: Int, cost: Int) {
        let waits = exclusively {
            defer { isWaiting = true }
            return !isWaiting
        }
        if waits { waitForLoads(of: key) }
        super.insert(value, forKey: key, cost: cost)
    }

    private func waitForLoads(of key: Int) {
        let deadline = Date(timeIntervalSinceNow: 12)
        while exclusively({ !hasGivenUp && flights.keys.contains { $0 != key } }) {
            if Date() < deadline { Thread.sleep(forTimeInterval: 0.001) } else { exclusively { hasGivenUp = true } }
        }
        exclusively { isWaiting = false }
    }

    static let mutant = Mutant(
        "insert-waits-for-loads", .loads, caughtBy: .conformance(.loadsDoNotBlockOthers),
        "an insert waits for the loads of other keys", InsertAfterLoadsCache.self)
}
