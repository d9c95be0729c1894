import CacheStrategies
import Foundation
import HistoryChecking
import TrialModel

// Measures how long it takes to record and judge a history: `benchmark-histories [operations [clients [keys]]]`.

let arguments = CommandLine.arguments.dropFirst().map { Int($0) ?? 0 }
let shape = BenchmarkShape(
    operations: arguments.first ?? 10_000_000, clients: arguments.dropFirst().first ?? 2,
    keys: arguments.dropFirst(2).first ?? 100_000)
guard shape.isPossible else {
    FileHandle.standardError.write(Data("usage: benchmark-histories [operations [clients [keys]]]\n".utf8))
    exit(64)
}

let clock = ContinuousClock()
let begin = clock.now
let history = shape.record()
let recorded = clock.now
let check = HistoryCheck(promises: Promises(coalescesLoads: true, keepsNewerWrites: true))
let findings = check.findings(history)
let judged = clock.now

print("operations     \(history.count), requests \(history.requests.count)")
print("recorded in    \(begin.duration(to: recorded))")
print("judged in      \(recorded.duration(to: judged))")
print("together       \(begin.duration(to: judged))")
print("peak resident  \(PeakMemory.residentBytes / 1_000_000) MB")
for finding in findings {
    let reason = finding.example.map { "  \($0.summary)" } ?? ""
    print("\(finding.promise.rawValue): \(finding.verdict.rawValue), \(finding.operationsChecked) checked\(reason)")
}
