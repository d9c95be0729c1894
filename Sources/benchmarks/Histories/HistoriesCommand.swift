import ArgumentParser
import CacheStrategies
import HistoryChecking
import Measurement
import TrialModel

/// `histories`: records and judges a history of a correct cache.
struct HistoriesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "histories",
        abstract: "Measures how long it takes to record and to judge a history of a correct cache.",
        discussion: """
            Examples:
              scripts/benchmark histories
              scripts/benchmark histories --operations 1000000 --clients 8 --seed 7

            Ends with 1 when the correct cache is said to have broken a promise.
            """)

    @Option(help: "How many operations the history has.")
    var operations = 10_000_000

    @Option(help: "How many clients record them.")
    var clients = 2

    @Option(help: "How many keys there are.")
    var keys = 100_000

    @Option(help: "The seed of every random choice.")
    var seed: UInt64 = 1

    func validate() throws {
        guard operations > 0, clients > 0, clients <= operations, keys > 0, keys < 1 << 31 else {
            throw ValidationError(
                "every number is at least 1, with at most as many clients as operations, and 2^31 keys")
        }
    }

    func run() throws {
        let clock = ContinuousClock()
        let begin = clock.now
        let history = RecordedShape(operations: operations, clients: clients, keys: keys, seed: seed).record()
        let recorded = clock.now
        let check = HistoryCheck(promises: Promises(coalescesLoads: true, keepsNewerWrites: true))
        let findings = check.findings(history)
        let judged = clock.now

        print("operations     \(history.count), requests \(history.requests.count)")
        print("recorded in    \(begin.duration(to: recorded))")
        print("judged in      \(recorded.duration(to: judged))")
        print("together       \(begin.duration(to: judged))")
        print("peak resident  \((MemoryMeter.read().residentBytesPeak ?? 0) / 1_000_000) MB")
        for finding in findings {
            let reason = finding.example.map { "  \($0.summary)" } ?? ""
            print(
                "\(finding.promise.rawValue): \(finding.verdict.rawValue), \(finding.operationsChecked) checked\(reason)"
            )
        }
        if findings.contains(where: { $0.violations > 0 }) { throw ExitCode(1) }
    }
}
