import CacheStrategies
import Foundation
import Platform
import Reports
import TrialModel

/// An operation with each of some keys.
typealias Work = @Sendable (ArraySlice<Int>) -> Void

/// The samples of each measurement; another one goes first in every turn.
func inTurns<Sample>(_ turns: Int, _ measurements: [() async throws -> Sample]) async throws -> [[Sample]] {
    var samples = [[Sample]](repeating: [], count: measurements.count)
    for turn in 0..<turns {
        for step in measurements.indices {
            let index = (turn + step) % measurements.count
            samples[index].append(try await measurements[index]())
        }
    }
    return samples
}

/// The time of an operation in nanoseconds, when threads share the keys, and each goes over its own several times.
func time(_ threads: Int, _ keys: [Int], passes: Int = 1, _ work: @escaping Work) -> Double {
    let share = keys.count / threads
    let start = Nanoclock.now()
    onThreads(threads) { number in
        for _ in 0..<passes { work(keys[number * share..<(number + 1) * share]) }
    }
    return Double(Nanoclock.elapsed(from: start, to: Nanoclock.now())) / Double(share * threads * passes)
}

/// Runs `body` on `threads` threads at once, each with its number; returns when all have ended.
private func onThreads(_ threads: Int, _ body: @escaping @Sendable (Int) -> Void) {
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

/// How many cores are free for two threads: the same loop on one thread, and on two at once. 2.0 when both are free.
func freeCores() -> Double {
    time(1, [0]) { _ in Spinning.spin(20_000_000) } / time(2, [0, 1]) { _ in Spinning.spin(20_000_000) }
}

/// Uses a result, so that the compiler can't remove the work before it.
@inline(never)
func keep(_ result: Int) {
    if result == Int.min { print("", terminator: "") }
}

/// A value that is made from a number.
protocol NumberedValue: CacheableValue {
    init(_ number: Int)
    var number: Int { get }
}

extension NumberedValue {
    init(encoded: Data) { self.init(encoded.count) }
    func encoded() -> Data { Data(count: 8) }
    var cost: Int { 1 }
}

/// An integer as a value.
struct Number: NumberedValue {
    let number: Int

    init(_ number: Int) { self.number = number }
}

/// A number as an object: every holder counts as a reference to it.
final class CountedNumber: NumberedValue {
    let number: Int

    init(_ number: Int) { self.number = number }
}

/// A cache that holds the keys of the first ranks.
@inline(__always)
func filled<Strategy: SynchronousCacheStrategy>(
    _ type: Strategy.Type, entryLimit: Int = KeyStreams.entryLimit
) throws -> Strategy where Strategy.Key == Int, Strategy.Value: NumberedValue {
    let cache = try Strategy(configuration: StrategyConfiguration(entryLimit: entryLimit))
    for rank in 0..<KeyStreams.entryLimit {
        cache.insert(Strategy.Value(rank), forKey: KeyStreams.key(rank: rank), cost: 1)
    }
    return cache
}

/// Looks up keys. Specialised where it is called, as a user's code would be.
@inline(__always)
func reading<Strategy: SynchronousCacheStrategy>(_ cache: Strategy) -> Work
where Strategy.Key == Int, Strategy.Value: NumberedValue {
    { keys in
        var sum = 0
        for key in keys { sum &+= cache.value(forKey: key)?.number ?? 1 }
        keep(sum)
    }
}

/// Sets keys.
@inline(__always)
func writing<Strategy: SynchronousCacheStrategy>(_ cache: Strategy) -> Work
where Strategy.Key == Int, Strategy.Value: NumberedValue {
    { keys in for key in keys { cache.insert(Strategy.Value(key), forKey: key, cost: 1) } }
}

/// Nine look-ups, then a set.
@inline(__always)
func mixing<Strategy: SynchronousCacheStrategy>(_ cache: Strategy) -> Work
where Strategy.Key == Int, Strategy.Value: NumberedValue {
    { keys in
        var sum = 0
        for (step, key) in keys.enumerated() {
            if step % 10 == 9 {
                cache.insert(Strategy.Value(step), forKey: key, cost: 1)
            } else {
                sum &+= cache.value(forKey: key)?.number ?? 1
            }
        }
        keep(sum)
    }
}

extension Table {
    /// A table with a column of text, and columns of figures behind it.
    init(title: String, _ subject: String, figures: [String], rows: [[TableCell]]) {
        self.init(
            title: title, of: rows,
            zip([subject] + figures, 0...).map { header, place in
                TableColumn(header, place == 0 ? .left : .right) { $0[place] }
            })
    }
}
