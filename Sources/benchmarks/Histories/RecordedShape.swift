import Foundation
import HistoryChecking
import TrialModel

/// A history to measure with: 40 % reads, 40 % loads, 20 % writes, as a correct cache would answer them.
struct RecordedShape: Sendable {
    var operations: Int
    var clients: Int
    var keys: Int
    var seed: UInt64

    /// Clients take turns, and operations of different clients overlap. A fifth of the entries is evicted.
    func record() -> History {
        var random = RandomSource(seed: seed, stream: 2)
        var history = History(callers: Array(repeating: [], count: clients))
        for client in 0..<clients { history.callers[client].reserveCapacity(operations / clients + 1) }
        var held: [UInt64] = Array(repeating: 0, count: keys)
        var versions: [UInt64] = Array(repeating: 0, count: keys)
        var writes: UInt64 = 1 << 40
        var now: UInt64 = 1_000_000
        for number in 0..<operations {
            let client = number % clients
            let key = min(random.next(below: UInt64(keys)), random.next(below: UInt64(keys)))
            let place = Int(key)
            now += 50
            if random.next(below: 5) == 0 { held[place] = 0 }
            var record = OperationRecord(
                .read, key: UInt32(key), outcome: .miss, call: now, answer: now + 50 * UInt64(clients) - 10)
            switch random.next(below: 5) {
            case 0:
                writes += 1
                held[place] = writes
                (record.kind, record.outcome, record.version) = (.write, .done, writes)
            case 1, 2:
                if held[place] != 0 { (record.outcome, record.version) = (.hit, held[place]) }
            default:
                record.kind = .load
                if held[place] == 0 {
                    versions[place] += 1
                    held[place] = versions[place]
                    history.requests.append(
                        RequestRecord(key: UInt32(key), version: versions[place], start: now + 1, end: now + 2))
                } else {
                    record.outcome = .hit
                }
                record.version = held[place]
            }
            history.callers[client].append(record)
        }
        return history
    }
}
