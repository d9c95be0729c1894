import CacheStrategies
import HistoryChecking
import Schedules
import TrialModel

/// Faults of a recorder of histories. The strategy is sound: checks must neither accuse nor clear it.
enum WrongLogs {
    static let mutants: [Mutant] = [
        mutant("operation-not-recorded", "one operation of a caller is missing") { history in
            history.callers[1].remove(at: history.callers[1].count / 2)
        },
        mutant("record-buffer-full", "operations after the first five hundred are dropped") { history in
            for caller in history.callers.indices {
                history.callers[caller] = Array(history.callers[caller].prefix(500))
            }
        },
        mutant("operation-recorded-twice", "one operation of a caller is there twice") { history in
            let position = history.callers[2].count / 2
            history.callers[2].insert(history.callers[2][position], at: position)
        },
        mutant("record-in-another-buffer", "one operation is recorded for another caller") { history in
            history.callers[0].append(history.callers[1].removeLast())
        },
        mutant("clock-steps-back", "the clock is set back halfway") { history in
            let (start, middle) = times(of: history)
            change(&history) { $0 > middle ? $0 - (middle - start) : $0 }
        },
        mutant("clock-does-not-advance", "all timestamps are equal") { history in
            let (start, _) = times(of: history)
            change(&history) { _ in start }
        },
        mutant("return-not-recorded", "an operation has no return, and others follow it") { history in
            history.callers[3][history.callers[3].count / 2].answer = OperationRecord.never
        },
        mutant("impossible-outcome", "a lookup is recorded with the outcome of a write") { history in
            guard let position = history.callers[0].firstIndex(where: { $0.kind == .read }) else { return }
            history.callers[0][position].outcome = .done
        },
        mutant("origin-loses-request", "the origin's request log lacks an answered request") { history in
            guard let position = history.requests.lastIndex(where: \.isAnswered) else { return }
            history.requests.remove(at: position)
        },
        mutant("origin-records-request-twice", "the origin's request log has a request twice") { history in
            guard let request = history.requests.last(where: \.isAnswered) else { return }
            history.requests.append(request)
        },
        mutant("request-ends-before-it-begins", "the origin swaps a request's beginning and end") { history in
            guard let position = history.requests.firstIndex(where: { $0.start < $0.end }) else { return }
            let request = history.requests[position]
            history.requests[position].start = request.end
            history.requests[position].end = request.start
        },
    ]

    private static func mutant(
        _ name: String, _ summary: String, _ tamper: @escaping @Sendable (inout History) -> Void
    ) -> Mutant {
        Mutant(name, .logs, caughtBy: .invalidLog, summary) { seed, _ in
            let subject = TrialSubject(SharedLoadsCache.self)
            guard let cache = try? SharedLoadsCache(configuration: TrialSubject<SharedLoadsCache>.configuration())
            else { return [] }
            var history = await subject.history(of: subject.crowd(seed: seed), on: cache)
            tamper(&history)
            return alarms(of: history)
        }
    }

    /// An invalid log is one alarm; any other verdict than "unknown" is an alarm of the judged promise.
    private static func alarms(of history: History) -> [Alarm] {
        let promises = SharedLoadsCache.declaration.promises
        let findings = HistoryCheck(promises: promises).findings(history)
        let judged = findings.filter { $0.verdict != .unknown }
        if let first = judged.first { return [Alarm(.promise(first.promise), "judged \(first.verdict.rawValue)")] }
        guard let summary = findings.first?.example?.summary, summary.hasPrefix("invalid log: ") else { return [] }
        return [Alarm(.invalidLog, summary)]
    }

    private static func times(of history: History) -> (start: UInt64, middle: UInt64) {
        let calls = history.callers.joined().map(\.call).sorted()
        return (calls.first ?? 0, calls.isEmpty ? 0 : calls[calls.count / 2])
    }

    private static func change(_ history: inout History, _ moment: (UInt64) -> UInt64) {
        for caller in history.callers.indices {
            for position in history.callers[caller].indices {
                history.callers[caller][position].call = moment(history.callers[caller][position].call)
                history.callers[caller][position].answer = moment(history.callers[caller][position].answer)
            }
        }
        for position in history.requests.indices {
            history.requests[position].start = moment(history.requests[position].start)
            history.requests[position].end = moment(history.requests[position].end)
        }
    }
}
