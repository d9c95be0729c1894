import CacheStrategies
import HistoryChecking
import TrialModel

/// Judges a schedule by what its strategy promised: the history as everywhere, and what was found at the end.
struct ScheduleJudge {
    private let check: HistoryCheck
    /// What is judged, in the order of ``Promise``.
    let promises: [Promise]

    init(_ promises: Promises) {
        check = HistoryCheck(promises: promises)
        self.promises = Promise.allCases.filter { $0 == .noLeakedLoad || promises.judgedByHistory.contains($0) }
    }

    /// What a schedule says of each promise.
    ///
    /// - Parameter isNew: whether nobody has judged the same history before; otherwise only what was found at the end.
    /// - Throws: ``ExplorationError`` when the history was not written down right.
    func findings(_ record: ScheduleRecorder, isNew: Bool) throws(ExplorationError) -> [PromiseFinding] {
        var findings = isNew ? check.findings(record.history) : []
        if let lost = findings.first(where: { $0.promise == .noLostCaller }), lost.verdict == .unknown {
            // A history with operations always says whether all returned, unless something is wrong with it.
            throw ExplorationError(description: "a schedule's history can't be judged: \(lost.example?.summary ?? "")")
        }
        if isNew, record.isClosed {
            findings.append(
                PromiseFinding(
                    promise: .noLeakedLoad, verdict: .consistent, operationsChecked: UInt64(record.history.count)))
        }
        let late = isNew && promises.contains(.newerWritesWin) ? OvertakenJoin.first(in: record.history) : nil
        for found in record.endFindings + [late].compactMap(\.self) where promises.contains(found.promise) {
            let example = Counterexample(summary: found.what, events: [])
            if let index = findings.firstIndex(where: { $0.promise == found.promise }) {
                guard findings[index].verdict != .inconsistent else {
                    if found.explains { findings[index].example?.summary = found.what }
                    continue
                }
                findings[index].verdict = .inconsistent
                findings[index].violations = 1
                findings[index].example = example
            } else {
                findings.append(
                    PromiseFinding(
                        promise: found.promise, verdict: .inconsistent, operationsChecked: 1, violations: 1,
                        example: example))
            }
        }
        return findings
    }
}
