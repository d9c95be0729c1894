import CacheStrategies
import Foundation
import Locks
import Payloads

@testable import TrialLoop

/// A clock that only strategies and sleeping move on: trials on it take no time and always measure the same.
///
/// One for the process, so that suites which use it are serialized.
enum VirtualClock: TrialClock {
    private static let time = Locked<UInt64>(1_000)

    static func now() -> UInt64 { time.withLock { $0 } }

    static func sleep(until moment: UInt64) { time.withLock { $0 = max($0, moment) } }

    static func advance(by nanoseconds: UInt64) { time.withLock { $0 += nanoseconds } }
}

/// A cache that holds nothing, whose lookups take 10 microseconds of the virtual clock, and one of them a second.
final class StallingCache: SynchronousCacheStrategy {
    typealias Key = Int
    typealias Value = Payload

    private struct State {
        var lookups = 0
    }

    private let state = Locked(State())
    /// The lookup that stalls, from 1.
    let stallingLookup: Int

    init(stallingLookup: Int) { self.stallingLookup = stallingLookup }
    convenience init(configuration: StrategyConfiguration) { self.init(stallingLookup: 0) }

    static var declaration: StrategyDeclaration {
        StrategyDeclaration(name: "stalling", summary: "stalls once")
    }

    func value(forKey key: Int) -> Payload? {
        let stalls = state.withLock { state in
            state.lookups += 1
            return state.lookups == stallingLookup
        }
        VirtualClock.advance(by: stalls ? 1_000_000_000 : 10_000)
        return nil
    }

    func insert(_ value: Payload, forKey key: Int, cost: Int) {}
    func removeValue(forKey key: Int) {}
    func removeAll() {}
}
