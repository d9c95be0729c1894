import CacheStrategies
import Foundation
import Locks
import TrialModel

/// Blocking fetches that are held back: the first one returns one value, all later ones another.
private final class HeldFetches: @unchecked Sendable {
    // Sound although unchecked: everything is touched only while the condition's lock is held.
    private let condition = NSCondition()
    private let answers: [Data]
    private var isOpen = false
    private var count = 0

    init(_ answers: [Data]) { self.answers = answers }

    func fetch() -> Data {
        condition.withLock {
            count += 1
            let answer = answers[min(count, answers.count) - 1]
            condition.broadcast()
            while !isOpen { condition.wait() }
            return answer
        }
    }

    /// Waits until a fetch has arrived.
    func waitForFirst(_ patience: Duration) -> Bool {
        let deadline = Date.deadline(in: patience / .seconds(1))
        return condition.withLock {
            while count == 0 { if !condition.wait(until: deadline) { break } }
            return count > 0
        }
    }

    func open() {
        condition.withLock {
            isOpen = true
            condition.broadcast()
        }
    }
}

/// A change that a caller makes to a key while another caller's load of it is in flight.
private enum OwnChange: String, CaseIterable {
    case insert = "wrote the key"
    case remove = "removed the key"
    case removeAll = "removed all keys"
    case insertAndRemove = "wrote the key and removed it"
    case insertAndEvict = "wrote the key, which was then evicted,"
}

extension ConformanceProbe {
    /// A caller changes a key while a load of it is in flight, and then loads the key itself: it must not get a value
    /// that was requested before its change.
    func checkLoadsRespectOwnPast() async throws {
        guard promises.consistency != .eventual else { return }
        for change in OwnChange.allCases {
            try await askTasks(change)
            if Strategy.self is any SynchronousCacheStrategy.Type { try await askThreads(change) }
        }
    }

    private static var old: Int { 70 }
    private static var new: Int { 71 }
    private static var written: Int { 72 }

    private func change(_ change: OwnChange, in cache: Strategy) async {
        switch change {
        case .insert: await insert(Self.written, at: 7, into: cache)
        case .remove: await remove(7, from: cache)
        case .removeAll: await removeAll(from: cache)
        case .insertAndRemove:
            await insert(Self.written, at: 7, into: cache)
            await remove(7, from: cache)
        case .insertAndEvict:
            await insert(Self.written, at: 7, into: cache)
            for number in 100..<100 + 2 * max(4, rules.smallest) { await insert(number, at: number, into: cache) }
        }
    }

    private func openSmall(_ change: OwnChange, _ driver: CrowdDriver) throws -> Strategy {
        try open(
            entryLimit: change == .insertAndEvict ? max(4, rules.smallest) : 1000, costLimit: 1 << 20,
            folder: "own-\(driver.rawValue)-\(change)")
    }

    /// A hit on a value that the load has inserted meanwhile is allowed, unless newer writes win.
    private func expectNew(_ loaded: Loaded<Value>?, _ change: OwnChange, _ driver: CrowdDriver) {
        guard let loaded, isValue(loaded.value, Self.old), loaded.outcome != .hit || promises.keepsNewerWrites
        else { return }
        fail(
            "with \(driver.rawValue), a caller \(change.rawValue) and then loaded a value that was requested before that"
        )
    }

    private func askTasks(_ change: OwnChange) async throws {
        let cache = try openSmall(change, .tasks)
        let origin = makeOrigin()
        let (old, new) = (try value(Self.old).encoded(), try value(Self.new).encoded())
        origin.script([.bytes(old)] + Array(repeating: .bytes(new), count: 4), forKey: 7)
        origin.hold(7)
        await withPatience(origin) {
            let first = Task { try await load(7, from: origin, in: cache) }
            await origin.arrivals.wait(for: 1)
            await self.change(change, in: cache)
            let second = Task { try await load(7, from: origin, in: cache) }
            let third = Task { try await load(7, from: origin, in: cache) }
            await letOthersRun()
            origin.release(7)
            for loaded in [second, third] { expectNew(try? await loaded.value, change, .tasks) }
            _ = try? await first.value
        }
        await close(cache)
    }

    private func askThreads(_ change: OwnChange) async throws {
        let opened = try openSmall(change, .threads)
        guard let cache = opened as? any SynchronousCacheStrategy<Key, Value> else { return }
        let fetches = HeldFetches([try value(Self.old).encoded(), try value(Self.new).encoded()])
        let patience = max(kit.patience.next, .milliseconds(100))
        let ended = Arrivals()
        let answer = Locked<Loaded<Value>?>(nil)
        startLoad(of: cache, fetches) { _ in ended.arrive() }
        let hasBegun = await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: fetches.waitForFirst(patience)) }
        }
        guard premise(hasBegun, "a blocking load made no fetch") else { return fetches.open() }
        await self.change(change, in: opened)
        startLoad(of: cache, fetches) { loaded in
            answer.withLock { $0 = loaded }
            ended.arrive()
        }
        // By then it joins, fetches itself, or has its answer. The check is still valid if it comes later.
        try? await Task.sleep(for: .milliseconds(2))
        fetches.open()
        let watchdog = Task {
            try await Task.sleep(for: patience)
            fail("a thread was still waiting after \(patience), although the origin had answered")
            ended.giveUp()
        }
        await ended.wait(for: 2)
        watchdog.cancel()
        expectNew(answer.withLock { $0 }, change, .threads)
        await close(opened)
    }

    private func startLoad(
        of cache: any SynchronousCacheStrategy<Key, Value>, _ fetches: HeldFetches,
        _ end: @escaping @Sendable (Loaded<Value>?) -> Void
    ) {
        Thread.detachNewThread { [self] in end(blockingLoad(of: cache, fetches)) }
    }

    /// Not async, and generic, so that the synchronous overload is called.
    private func blockingLoad<Cache: SynchronousCacheStrategy<Key, Value>>(
        of cache: Cache, _ fetches: HeldFetches
    ) -> Loaded<Value>? {
        try? cache.loadBlocking(key(7)) { fetches.fetch() }
    }
}
