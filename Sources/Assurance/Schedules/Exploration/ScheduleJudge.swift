import CacheStrategies
import HistoryChecking
import TrialModel

/// Judges a schedule by its strategy's promises: by its history, as in every check, and by the findings at its end.
struct ScheduleJudge {
    private let declared: Promises
    private let worksInBackground: Bool
    /// The promises that are judged, in the order of ``Promise``.
    let promises: [Promise]

    init(_ declared: Promises, worksInBackground: Bool = false) {
        self.declared = declared
        self.worksInBackground = worksInBackground
        promises = Promise.allCases.filter { promise in
            switch promise {
            case .noLeakedLoad: true
            case .limits: declared.limitsEveryMoment
            case .retention: declared.isRetentionJudged
            default: declared.judgedByHistory.contains(promise)
            }
        }
    }

    /// Whether a thread that nothing orders may still mend what a finding shows: a call, or a load, that has not ended.
    private func isLoss(_ finding: PromiseFinding, _ record: ScheduleRecorder) -> Bool {
        switch finding.promise {
        case .noLostCaller, .noLeakedLoad: true
        case .cancellation: record.endFindings.contains { $0.what == finding.example?.summary }
        default: false
        }
    }

    /// The findings of a schedule about each promise. What broke in an order in which something took part that is not
    /// controlled is unknown: the explorer may have been unable to see who wakes a caller, or who holds a lock.
    ///
    /// - Parameter isNew: whether the same history was not judged before; otherwise only the findings at the end count.
    /// - Throws: ``ExplorationError`` when the history was not recorded correctly.
    func findings(_ schedule: ExploredSchedule, isNew: Bool) throws(ExplorationError) -> [PromiseFinding] {
        let found = try findings(schedule.recorder, isNew: isNew)
        guard let doubt = schedule.unseen.doubt ?? schedule.unseen.doubtOfLosses else { return found }
        return found.map { finding in
            guard finding.verdict == .inconsistent, schedule.unseen.voids || isLoss(finding, schedule.recorder)
            else { return finding }
            var doubtful = finding
            doubtful.verdict = .unknown
            doubtful.example?.summary = "\(doubt): \(finding.example?.summary ?? "")"
            return doubtful
        }
    }

    /// The findings of a schedule's records, as if all that took part were controlled.
    func findings(_ record: ScheduleRecorder, isNew: Bool) throws(ExplorationError) -> [PromiseFinding] {
        let check = check(record)
        var findings = isNew ? check.findings(record.history) : []
        if check.terms?.entryLimit == nil, promises.contains(.limits) {
            findings.append(.unknown(.limits, because: "no script had more keys than the cache may hold"))
        }
        if let lost = findings.first(where: { $0.promise == .noLostCaller }), lost.verdict == .unknown,
            record.history.count > 0
        {
            // A history with operations always shows whether all of them returned, unless it is broken.
            throw ExplorationError(
                description: "an interleaving's history can't be judged: \(lost.example?.summary ?? "")")
        }
        if isNew, record.isClosed {
            findings.append(
                PromiseFinding(
                    promise: .noLeakedLoad, verdict: .consistent, operationsChecked: UInt64(record.history.count)))
        }
        for found in record.endFindings where promises.contains(found.promise) {
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

    /// The check of a schedule's history. A limit that the script can't reach is not judged.
    private func check(_ record: ScheduleRecorder) -> HistoryCheck {
        let limit = record.entryLimit.flatMap { $0 < ScheduleScript.keysMax ? $0 : nil }
        return HistoryCheck(
            promises: declared, terms: HistoryTerms(entryLimit: limit, worksInBackground: worksInBackground))
    }
}
