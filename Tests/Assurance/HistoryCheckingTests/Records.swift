import TrialModel

@testable import HistoryChecking

// Records of key 1, short enough to read a history at a glance.

func read(_ version: UInt64?, _ call: UInt64, _ answer: UInt64) -> OperationRecord {
    OperationRecord(
        .read, key: 1, version: version ?? 0, outcome: version == nil ? .miss : .hit, call: call, answer: answer)
}

func write(_ version: UInt64, _ call: UInt64, _ answer: UInt64) -> OperationRecord {
    OperationRecord(.write, key: 1, version: version, outcome: .done, call: call, answer: answer)
}

func load(
    _ version: UInt64, _ outcome: Outcome, _ call: UInt64, _ answer: UInt64, mayGiveUp: Bool = false
) -> OperationRecord {
    OperationRecord(
        .load, key: 1, version: version, outcome: outcome, call: call, answer: answer, mayGiveUp: mayGiveUp)
}

func sent(_ version: UInt64, _ start: UInt64, _ end: UInt64, isAnswered: Bool = true) -> RequestRecord {
    RequestRecord(key: 1, version: version, start: start, end: end, isAnswered: isAnswered)
}
