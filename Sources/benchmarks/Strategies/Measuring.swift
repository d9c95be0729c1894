import ArgumentParser
import CacheStrategies
import Foundation
import TrialModel

/// An empty cache; the strategies that are measured open with any limit.
func opened<Strategy: SynchronousCacheStrategy>(_ type: Strategy.Type, entryLimit: Int) -> Strategy {
    do {
        return try Strategy(configuration: StrategyConfiguration(entryLimit: entryLimit))
    } catch {
        StrategiesCommand.exit(withError: error)
    }
}

/// The time of one call of `body` in nanoseconds for each of its `operations`.
func nanosecondsPerOperation(_ operations: Int, _ body: () -> Void) -> Double {
    let start = ContinuousClock.now
    body()
    let elapsed = (ContinuousClock.now - start).components
    return (Double(elapsed.seconds) * 1e9 + Double(elapsed.attoseconds) / 1e9) / Double(operations)
}

/// Runs `body` on `threads` threads at once, each with its number; returns when all have ended.
func onThreads(_ threads: Int, _ body: @escaping @Sendable (Int) -> Void) {
    if threads == 1 { return body(0) }
    let finished = DispatchSemaphore(value: 0)
    for number in 0..<threads {
        Thread.detachNewThread {
            body(number)
            finished.signal()
        }
    }
    for _ in 0..<threads { finished.wait() }
}

/// How many turns ``inTurns(_:)`` takes.
let turnCount = 7

/// The samples of each measurement; another one goes first in every turn.
func inTurns<Sample>(_ measurements: [() -> Sample]) -> [[Sample]] {
    var samples = [[Sample]](repeating: [], count: measurements.count)
    for turn in 0..<turnCount {
        for step in measurements.indices {
            let index = (turn + step) % measurements.count
            samples[index].append(measurements[index]())
        }
    }
    return samples
}

func median(_ samples: [Double]) -> Double { samples.median ?? .nan }

/// How many cores are free for two threads: the same loop on one thread, and on two at once. 2.0 when both are free.
func freeCores() -> Double {
    @Sendable func spin(_: Int) {
        var state: UInt64 = 88_172_645_463_325_252
        for _ in 0..<20_000_000 {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
        }
        keep(Int(truncatingIfNeeded: state))
    }
    let alone = nanosecondsPerOperation(1) { onThreads(1, spin) }
    let together = nanosecondsPerOperation(1) { onThreads(2, spin) }
    return 2 * alone / together
}

/// Uses a result, so that the compiler can't remove the work before it.
@inline(never)
func keep(_ result: Int) {
    if result == Int.min { print("", terminator: "") }
}
