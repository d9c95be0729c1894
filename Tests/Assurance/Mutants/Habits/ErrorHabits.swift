import CacheStrategies
import Conformance
import Foundation

/// Answers a load whose fetch or decoding failed with its error, until its key is written or removed. Sound.
class ErrorsKeptCache: SharedLoadsCache, @unchecked Sendable {
    // Sound although unchecked: as `PlainCache`.
    private var failures: [Int: (error: any Error, moment: Duration)] = [:]

    override class var declaration: StrategyDeclaration {
        .habit(
            "plain-errors-kept", "a failed load is answered from the cache",
            promises { $0.limitRules = LimitRules(zero: .holdsNothing) })
    }

    final class func promises(_ change: (inout Promises) -> Void) -> Promises {
        var promises = Promises(coalescesLoads: true, cachesErrors: true, keepsNewerWrites: true)
        promises.mayWaitForItself = true
        change(&promises)
        return promises
    }

    override func noteFailure(of key: Int, _ error: any Error) { failures[key] = (error, now()) }

    override func knownFailure(of key: Int) -> (any Error)? {
        failures[key].flatMap { isOver(since: $0.moment) ? nil : $0.error }
    }

    override func put(_ value: StampedBytes, forKey key: Int, cost: Int) {
        failures[key] = nil
        super.put(value, forKey: key, cost: cost)
    }

    override func remove(_ key: Int) {
        failures[key] = nil
        super.remove(key)
    }

    override func empty() {
        failures = [:]
        super.empty()
    }

    func now() -> Duration { configuration.clock.now() }
    func isOver(since moment: Duration) -> Bool { false }
}

/// The same for a minute. Sound.
class ErrorsForATimeCache: ErrorsKeptCache, @unchecked Sendable {
    // Sound although unchecked: as `PlainCache`.
    override class var declaration: StrategyDeclaration {
        .habit(
            "plain-errors-for-a-time", "a failed load is answered from the cache for a minute",
            promises { $0.errorLifetime = .seconds(60) })
    }

    override func isOver(since moment: Duration) -> Bool { now() - moment >= .seconds(60) }
}

/// The same for a moment, by the machine's clock. Sound.
final class ErrorsForAMomentCache: ErrorsForATimeCache, @unchecked Sendable {
    // Sound although unchecked: as `PlainCache`.
    override class var declaration: StrategyDeclaration {
        .habit(
            "plain-errors-for-a-moment", "a failed load is answered from the cache for 20 ms, by the machine's clock",
            promises { ($0.timeToLive, $0.errorLifetime) = (.none(by: .system), .milliseconds(20)) })
    }

    override func now() -> Duration { CacheClock.system.now() }
    override func isOver(since moment: Duration) -> Bool { now() - moment >= .milliseconds(20) }
}

final class ErrorsTooLongCache: ErrorsForATimeCache, @unchecked Sendable {
    // Broken on purpose.
    override func isOver(since moment: Duration) -> Bool { false }

    static let mutant = Mutant(
        "error-kept-too-long", .loads, caughtBy: .conformance(.loadErrorReachesCaller),
        "an error that is remembered for a minute is remembered for ever", ErrorsTooLongCache.self)
}
