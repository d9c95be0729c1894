import CacheStrategies
import HistoryChecking
import Locks
import TrialModel

/// The operations of one caller of a trial. An operation in flight is recorded as one that never returned.
final class CallerLog: Sendable {
    private let state = Locked([OperationRecord]())
    private let sent = Locked(0)

    /// The records so far.
    var records: [OperationRecord] { state.withLock { $0 } }

    /// How many operations were sent, counted separately.
    var sentCount: Int { sent.withLock { $0 } }

    /// The caller is about to call.
    func begin(_ kind: OperationKind, key: Int, version: UInt64 = 0) {
        sent.withLock { $0 += 1 }
        state.withLock {
            $0.append(
                OperationRecord(
                    kind, key: UInt32(key), version: version, outcome: .done, call: trialMoment(),
                    answer: OperationRecord.never))
        }
    }

    /// The call has returned. The value is read after the time is taken.
    func end(_ outcome: Outcome, _ makeStamp: @autoclosure () -> ValueStamp? = nil) {
        let answer = trialMoment()
        let stamp = makeStamp()
        state.withLock { records in
            guard var record = records.popLast() else { return }
            record.answer = answer
            record.outcome = outcome
            if let stamp {
                record.version = stamp.version
                record.valueKey = stamp.key
                record.isIntact = stamp.isIntact
            }
            records.append(record)
        }
    }
}

/// The next operations of one caller of a trial: a pure function of the seed and the caller.
struct CallerScript {
    private var random: RandomSource
    private let caller: Int
    private let keys: Int
    private var writes: UInt64 = 0

    /// One operation to send.
    struct Step {
        var kind: OperationKind
        var key: Int
        /// The version of a write.
        var version: UInt64
    }

    init(seed: UInt64, caller: Int, keys: Int) {
        random = RandomSource(seed: seed, stream: 0, UInt64(caller))
        self.caller = caller
        self.keys = keys
    }

    mutating func next() -> Step {
        let key = Int(random.next(below: UInt64(keys)))
        switch random.next(below: 1000) {
        case 0..<360: return Step(kind: .read, key: key, version: 0)
        case 360..<680: return Step(kind: .load, key: key, version: 0)
        case 680..<895:
            writes += 1
            return Step(kind: .write, key: key, version: UInt64(caller + 1) << 40 | writes)
        case 895..<998: return Step(kind: .remove, key: key, version: 0)
        default: return Step(kind: .clear, key: key, version: 0)
        }
    }
}
