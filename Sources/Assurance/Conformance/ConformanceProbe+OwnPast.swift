import CacheStrategies
import Foundation
import Locks
import TrialModel

/// A change that a caller makes to a key while another caller's load of it is in flight.
enum OwnChange: String, CaseIterable {
    case insert = "wrote the key"
    case remove = "removed the key"
    case removeAll = "removed all keys"
    case insertAndRemove = "wrote the key and removed it"
    case insertAndEvict = "wrote the key, which was then evicted,"

    /// The number of the value that is written.
    static var written: Int { 72 }

    /// The calls that make it.
    var needed: CacheCalls {
        switch self {
        case .insert, .insertAndEvict: .insert
        case .remove: .remove
        case .removeAll: .removeAll
        case .insertAndRemove: [.insert, .remove]
        }
    }
}

extension ConformanceProbe {
    /// A caller changes a key while a load of it is in flight, and then loads the key itself: it must not get a value
    /// that was requested before its change.
    func checkLoadsRespectOwnPast() async throws {
        guard promises.consistency != .eventual else { return }
        for change in OwnChange.allCases where kit.available.isSuperset(of: change.needed) {
            for driver in drivers { try await ask(change, driver) }
        }
    }

    private static var old: Int { 70 }
    private static var new: Int { 71 }

    func change(_ change: OwnChange, in cache: Strategy) async {
        switch change {
        case .insert: await insert(OwnChange.written, at: 7, into: cache)
        case .remove: await remove(7, from: cache)
        case .removeAll: await removeAll(from: cache)
        case .insertAndRemove:
            await insert(OwnChange.written, at: 7, into: cache)
            await remove(7, from: cache)
        case .insertAndEvict:
            await insert(OwnChange.written, at: 7, into: cache)
            for number in 100..<100 + 2 * max(4, rules.smallest) { await insert(number, at: number, into: cache) }
        }
    }

    private func openSmall(_ change: OwnChange, _ driver: CrowdDriver) throws -> Strategy {
        try open(
            entryLimit: change == .insertAndEvict ? max(4, rules.smallest) : 1000, costLimit: 1 << 20,
            folder: "own-\(driver.rawValue)-\(change)")
    }

    /// A hit on a value that the load has inserted meanwhile is allowed, unless newer writes win.
    ///
    /// - Parameter isHeld: whether the cache holds that value at the end, so that a load may have hit it.
    private func expectNew(_ loaded: Loaded<Value>, isHeld: Bool, _ change: OwnChange, _ driver: CrowdDriver) {
        let mayBeHit = loaded.outcome == .hit || (!kit.knowsOutcomes && loaded.outcome == .joined && isHeld)
        guard isValue(loaded.value, Self.old), !mayBeHit || promises.keepsNewerWrites else { return }
        fail(
            "with \(driver.rawValue), a caller \(change.rawValue) and then loaded a value that was requested before that"
        )
    }

    private func ask(_ change: OwnChange, _ driver: CrowdDriver) async throws {
        let cache = try openSmall(change, driver)
        let origin = makeOrigin()
        let (old, new) = (try value(Self.old).encoded(), try value(Self.new).encoded())
        origin.script([.bytes(old)] + Array(repeating: .bytes(new), count: 4), forKey: 7)
        origin.hold(7)
        let ended = Arrivals()
        let answers = Locked([Loaded<Value>]())
        func begin(_ caller: Int) {
            Task.detached { [self] in
                let loaded = try? await load(7, from: origin, in: cache, onThread: driver.isThread(caller))
                if caller > 0, let loaded { answers.withLock { $0.append(loaded) } }
                ended.arrive()
            }
        }
        await withPatience(origin, ended) {
            begin(0)
            await origin.arrivals.wait(for: 1)
            await self.change(change, in: cache)
            begin(1)
            begin(2)
            await letOthersRun()
            // By then a thread joins, fetches itself, or has its answer. The check is still valid if it comes later.
            if driver != .tasks { try? await Task.sleep(for: .milliseconds(2)) }
            origin.release(7)
            await ended.wait(for: 3)
        }
        let loaded = answers.withLock { $0 }
        _ = premise(!loaded.isEmpty, "no load after a change gave a value")
        let asks = !kit.knowsOutcomes && kit.available.contains(.lookUp)
        let isHeld = asks ? isValue(await lookUp(7, in: cache), Self.old) : false
        for loaded in loaded { expectNew(loaded, isHeld: isHeld, change, driver) }
        await close(cache)
    }
}
