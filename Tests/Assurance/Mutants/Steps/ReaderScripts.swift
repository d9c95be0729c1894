import CacheStrategies
import Foundation

/// Two readers and a writer on one shard, in every order of their accesses to memory.
package struct ReaderScripts<Memory: SteppedMemory>: Sendable {
    /// An operation of a thread, with its start and end as numbers of steps.
    enum Operation: Sendable, Equatable {
        case read(Int)
        case write(Int, version: Int)
        case remove(Int)
        case clear
    }

    /// The initial entries, and the operations of each thread; the first thread is the writer.
    struct Script: Sendable {
        var name: String
        var entryLimit = 3
        var before: [Int]
        var threads: [[Operation]]
        /// Whether all keys are in one chain.
        var isOneChain = true
        /// Whether a miss may be an eviction.
        var evicts = false
        /// Whether values are replaced in place.
        var isOfWords = false
    }

    /// The number of orders tried, and the first fault found.
    package struct Outcome: Sendable, CustomStringConvertible {
        package var script: String
        package var orderCount = 0
        package var stepCount = 0
        package var isComplete = false
        package var fault: String?

        package var description: String {
            "\(script): \(orderCount) orders, \(stepCount) steps\(isComplete ? "" : ", not all")"
                + (fault.map { ": \($0)" } ?? "")
        }
    }

    static var scripts: [Script] {
        [
            Script(
                name: "two entries, one replaced and one removed", before: [1, 2],
                threads: [[.write(1, version: 1), .remove(2)], [.read(1)], [.read(2)]]),
            Script(
                name: "two entries, one removed and its place given to a third key", before: [1, 2],
                threads: [[.remove(1), .write(3, version: 1)], [.read(1)], [.read(3)]]),
            Script(
                name: "three entries, and a fourth for which one goes", before: [1, 2, 3],
                threads: [[.write(4, version: 1), .remove(3)], [.read(2)], [.read(4)]], evicts: true),
            Script(
                name: "three entries, one replaced, and read twice", before: [1, 2, 3],
                threads: [[.write(2, version: 1)], [.read(2), .read(2)], [.read(1)]]),
            Script(
                name: "eight entries, and a ninth for which the table grows", entryLimit: 20, before: Array(1...8),
                threads: [[.write(9, version: 1), .remove(1)], [.read(9)], [.read(1)]], isOneChain: false),
            Script(
                name: "two entries, all removed and one written again", before: [1, 2],
                threads: [[.clear, .write(1, version: 1)], [.read(1)], [.read(2)]]),
            Script(
                name: "two values in place, one replaced twice", before: [1, 2],
                threads: [[.write(1, version: 1), .write(1, version: 2)], [.read(1)], [.read(1)]], isOfWords: true),
            Script(
                name: "two values in place, one replaced and removed, and its place given to a third key",
                before: [1, 2],
                threads: [[.write(1, version: 1), .remove(1), .write(3, version: 1)], [.read(1)], [.read(3)]],
                isOfWords: true),
        ]
    }

    package init() {}

    /// Runs every script in every order, and returns the first fault of each.
    ///
    /// The last scripts return memory to the system, which a faulty reader may then read.
    ///
    /// - Parameters:
    ///   - mostOrders: the most orders tried of a script; where there are more, the seed chooses among them.
    ///   - untilFault: whether to stop after the first script with a fault.
    ///   - first: the place of the first script that is run.
    package func outcomes(
        seed: UInt64, mostOrders: Int = .max, untilFault: Bool = false, first: Int = 0
    ) -> [Outcome] {
        let threads = (0..<3).map { _ in StepThread() }
        defer { for thread in threads { thread.stop() } }
        var outcomes: [Outcome] = []
        for script in Self.scripts.dropFirst(first) {
            outcomes.append(outcome(of: script, seed, mostOrders, threads))
            if untilFault, outcomes.last?.fault != nil { break }
        }
        return outcomes
    }

    /// The findings, up to the first fault.
    ///
    /// - Parameters:
    ///   - first: the place of the first script that is run.
    ///   - mostOrders: see ``outcomes(seed:mostOrders:untilFault:first:)``.
    package func alarms(seed: UInt64, first: Int = 0, mostOrders: Int = 2000) -> [Alarm] {
        outcomes(seed: seed, mostOrders: mostOrders, untilFault: true, first: first).compactMap { outcome in
            outcome.fault.map { Alarm(.accesses, "\(outcome.script): \($0)") }
        }
    }

    private func outcome(of script: Script, _ seed: UInt64, _ most: Int, _ threads: [StepThread]) -> Outcome {
        let orders = StepOrders(seed: seed)
        var outcome = Outcome(script: script.name)
        repeat {
            orders.begin()
            let (fault, steps) =
                script.isOfWords
                ? run(StampedWord.self, script, orders, threads) : run(Stamped.self, script, orders, threads)
            if !orders.isRepeated { outcome.orderCount += 1 }
            outcome.stepCount += steps
            if let fault {
                outcome.fault = fault
                return outcome
            }
        } while outcome.orderCount < most && orders.advance()
        outcome.isComplete = orders.isComplete
        return outcome
    }

    private func run<Value: StampedValue>(
        _ type: Value.Type, _ script: Script, _ orders: StepOrders, _ threads: [StepThread]
    ) -> (fault: String?, steps: Int) {
        let watch = EntryWatch()
        return EntryWatch.$current.withValue(watch) {
            let shard = ConcurrentShard<Int, Value, Memory>(entryLimit: script.entryLimit, costLimit: nil)
            defer { shard.destroy() }
            for key in script.before {
                shard.insert(Value(key: key, version: 0), forKey: key, tag: tag(key, script), cost: 1)
            }
            let run = StepRun(actorCount: 3) { orders.choose($0) }
            let logs = script.threads.map { _ in ReaderLog<Operation, Value>() }
            let held = ReaderMutants.Held()
            let actors = zip(script.threads, logs).map { operations, log -> @Sendable () -> Void in
                {
                    EntryWatch.$current.withValue(watch) {
                        ReaderMutants.Held.$current.withValue(held) {
                            for operation in operations { perform(operation, shard, script, run, log) }
                        }
                    }
                }
            }
            run.run(actors, on: threads)
            let fault = watch.faults.first ?? Self.fault(script, logs)
            guard let fault else { return (nil, run.time) }
            let steps = run.trace.map { "\($0.actor == 0 ? "writer" : "reader \($0.actor)") \($0.step.name)" }
            return ("\(fault); \(steps.joined(separator: ", "))", run.time)
        }
    }

    private func tag(_ key: Int, _ script: Script) -> UInt32 { script.isOneChain ? 1 : UInt32(key) }

    private func perform<Value: StampedValue>(
        _ operation: Operation, _ shard: ConcurrentShard<Int, Value, Memory>, _ script: Script, _ run: StepRun,
        _ log: ReaderLog<Operation, Value>
    ) {
        let start = run.time
        var found: Value?
        switch operation {
        case .read(let key): found = shard.value(forKey: key, tag: tag(key, script))
        case .write(let key, let version):
            shard.insert(Value(key: key, version: version), forKey: key, tag: tag(key, script), cost: 1)
        case .remove(let key): shard.removeValue(forKey: key, tag: tag(key, script))
        case .clear: shard.removeAll()
        }
        log.entries.append((operation, start, run.time, found))
    }

    /// A fault if a reader found a value that no order of the operations explains.
    private static func fault<Value: StampedValue>(_ script: Script, _ logs: [ReaderLog<Operation, Value>]) -> String? {
        for log in logs.dropFirst() {
            for (operation, start, end, found) in log.entries {
                guard case .read(let key) = operation else { continue }
                var allowed: [Int?] = [script.before.contains(key) ? 0 : nil]
                for (write, began, ended, _) in logs[0].entries {
                    let result: Int??
                    switch write {
                    case .write(key, let version): result = .some(version)
                    case .remove(key), .clear: result = .some(nil)
                    default: result = nil
                    }
                    guard let result, began < end else { continue }
                    // A value written before the read began excludes all older ones.
                    allowed = ended <= start ? [result] : allowed + [result]
                }
                if script.evicts { allowed.append(nil) }
                if let found, found.key != key { return "the value of key \(found.key) is found for key \(key)" }
                if !allowed.contains(found?.version) {
                    return "\(found.map { "version \($0.version)" } ?? "nothing") is found for key \(key)"
                }
            }
        }
        return nil
    }
}

/// A value that contains its key.
protocol StampedValue: Sendable {
    init(key: Int, version: Int)
    var key: Int { get }
    var version: Int { get }
}

/// A value of two words, whose entry is replaced.
struct Stamped: StampedValue {
    var key: Int
    var version: Int
}

/// A value of eight plain bytes, which is replaced in place.
struct StampedWord: StampedValue {
    private let halves: (key: Int32, version: Int32)
    var key: Int { Int(halves.key) }
    var version: Int { Int(halves.version) }

    init(key: Int, version: Int) { halves = (Int32(key), Int32(version)) }
}

/// The operations of one thread of a script.
final class ReaderLog<Operation: Sendable, Value: Sendable>: @unchecked Sendable {
    // Sound although unchecked: accessed by its thread, and by another one after the run.
    var entries: [(operation: Operation, start: Int, end: Int, found: Value?)] = []
}
