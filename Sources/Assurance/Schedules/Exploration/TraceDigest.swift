import HistoryChecking
import TrialModel

/// A digest of the order in which a schedule ran: FNV-1a over 64-bit words, mixed (Fowler, Noll, Vo).
struct TraceDigest {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func add(_ word: UInt64) {
        value = SplitMix64.mix((value ^ word) &* 0x0000_0100_0000_01B3)
    }

    private mutating func add(optional number: (some FixedWidthInteger)?) {
        add(UInt64(number == nil ? 1 : 0))
        add(UInt64(truncatingIfNeeded: number ?? 0))
    }

    /// Adds all that a schedule is judged by: the observations of callers and origin, the limit of the cache, and whether
    /// all callers returned.
    mutating func add(_ history: borrowing History, entryLimit: Int?, isClosed: Bool) {
        add(optional: entryLimit)
        add(UInt64(isClosed ? 1 : 0))
        add(history.droppedRequests << 1 | (history.mayFailUnseen ? 1 : 0))
        add(UInt64(history.losses.count))
        for loss in history.losses {
            add(loss.lowerBound)
            add(loss.upperBound)
        }
        for caller in history.callers.indices {
            add(UInt64(history.callers[caller].count))
            for operation in history.callers[caller] {
                add(UInt64(operation.key) << 32 | UInt64(operation.valueKey))
                add(operation.version)
                add(operation.call)
                add(operation.answer)
                let flags: UInt64 = (operation.isIntact ? 1 : 0) | (operation.mayGiveUp ? 2 : 0)
                add(flags << 16 | operation.kind.code << 8 | operation.outcome.code)
            }
        }
        add(UInt64(history.samples.count))
        for sample in history.samples {
            add(sample.call)
            add(sample.answer)
            add(optional: sample.entryCount)
            add(optional: sample.totalCost)
            add(optional: sample.evictions)
        }
        add(UInt64(history.requests.count))
        for request in history.requests {
            add(UInt64(request.key) << 1 | (request.isAnswered ? 1 : 0))
            add(request.version)
            add(request.start)
            add(request.end)
        }
    }
}

extension TraceDigest {
    /// Adds all that a schedule's records are judged by, besides the findings at its end.
    mutating func add(_ recorder: ScheduleRecorder) {
        add(recorder.history, entryLimit: recorder.entryLimit, isClosed: recorder.isClosed)
    }
}

extension OperationKind {
    fileprivate var code: UInt64 {
        switch self {
        case .read: 0
        case .load: 1
        case .write: 2
        case .remove: 3
        case .clear: 4
        case .burst: 5
        case .prefetch: 6
        }
    }
}

extension Outcome {
    fileprivate var code: UInt64 {
        switch self {
        case .hit: 0
        case .miss: 1
        case .joined: 2
        case .failed: 3
        case .cancelled: 4
        case .done: 5
        }
    }
}
