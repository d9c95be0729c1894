import HistoryChecking
import TimedStrategies

/// How many operations were in flight together with an operation of another client.
///
/// Without such operations no data race can show in any strategy: a run with few of them proves nothing.
enum ContendedOperations {
    /// Counts them, including those of a burst's callers. O(callers · operations): each caller's operations are
    /// compared with those of each other caller in one pass over both.
    ///
    /// - Returns: `nil` when the clients kept no records.
    static func count(_ clientMetrics: [ClientMetrics]) -> UInt64? {
        let callers = clientMetrics.flatMap(\.records)
        guard !callers.isEmpty else { return nil }
        return count(callers.map { records in records.map { TimeSpan($0.call, $0.answer) } })
    }

    /// Counts them by the spans of each caller, which are in order and do not overlap.
    static func count(_ clients: [[TimeSpan]]) -> UInt64 {
        var total: UInt64 = 0
        for (index, own) in clients.enumerated() {
            var isContended = [Bool](repeating: false, count: own.count)
            for (other, spans) in clients.enumerated() where other != index {
                mark(own, against: spans, in: &isContended)
            }
            total &+= UInt64(isContended.count { $0 })
        }
        return total
    }

    private static func mark(_ own: [TimeSpan], against others: [TimeSpan], in isContended: inout [Bool]) {
        var next = 0
        for (index, span) in own.enumerated() {
            while next < others.count, others[next].end <= span.start { next += 1 }
            guard next < others.count else { return }
            if others[next].start < span.end { isContended[index] = true }
        }
    }
}
