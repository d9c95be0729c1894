import CacheStrategies
import Testing
import TrialModel

@testable import HistoryChecking

/// A counterexample is a contradiction, and no part of it is.
@Suite(.timeLimit(.minutes(5)))
struct SmallestExampleTests {
    @Test func `an example is a contradiction, and no part of it is`() async {
        let seed: UInt64 = 4_711
        print("seed \(seed)")
        let check = HistoryCheck(promises: Promises())
        var examples = 0
        var flaws: [String] = []
        for number in 0..<UInt64(4_000) {
            if number % 100 == 0 { await Task.yield() }
            let history = SmallHistories.history(seed: seed, number: number)
            for finding in check.findings(history) where finding.violations > 0 {
                guard finding.promise == .freshness || finding.promise == .noResurrection else { continue }
                // A request is not an operation; the oracle needs them all.
                if finding.example?.events.contains(where: { $0.caller == "origin" }) == true { continue }
                let records = records(of: finding.example, in: history)
                examples += 1
                let isSmallest = records.indices.allSatisfy { left in
                    OrderOracle.explains(
                        part(of: history, records.enumerated().filter { $0.offset != left }.map(\.element)))
                }
                let isContradiction = !OrderOracle.explains(part(of: history, records))
                let isWhole = records.count == finding.example?.events.count && (3...4).contains(records.count)
                if !isSmallest || !isContradiction || !isWhole, flaws.count < 3 {
                    flaws.append("\(number): \(isSmallest) \(isContradiction) \(isWhole)\n\(finding.example as Any)")
                }
            }
        }
        print("\(examples) examples")
        #expect(flaws == [])
        #expect(examples > 200)
    }

    /// Single operations, each of a separate caller, with inserts at any time for versions whose source was left out.
    private func part(of history: History, _ records: [OperationRecord]) -> History {
        var callers = records.map { [$0] }
        let written = Set(records.filter { $0.kind == .write }.map(\.version))
        let sent = Set(history.requests.map(\.version))
        for version in Set(records.map(\.version)) where version != 0 && !written.contains(version) {
            if sent.contains(version) { continue }
            callers.append([OperationRecord(.write, key: 0, version: version, outcome: .cancelled, call: 0, answer: 0)])
        }
        // A request whose load was left out may have inserted at any time after it.
        return History(callers: callers, requests: history.requests)
    }

    /// The operations of an example: the first is searched for, the others follow from it.
    private func records(of example: Counterexample?, in history: History) -> [OperationRecord] {
        guard let events = example?.events, let first = events.first else { return [] }
        let writer = ExampleWriter(history: history)
        let all = history.callers.enumerated().flatMap { caller, records in
            records.indices.map { place in
                (record: records[place], event: writer.event(EventReference(caller: caller, position: place)))
            }
        }
        for base in all where base.event.caller == first.caller && base.event.what == first.what {
            let found = events.compactMap { event in
                all.first { candidate in
                    candidate.event.caller == event.caller && candidate.event.what == event.what
                        && candidate.event.call == base.event.call + event.call
                        && candidate.event.answer == base.event.call + event.answer
                }?.record
            }
            if found.count == events.count { return found }
        }
        return []
    }
}
