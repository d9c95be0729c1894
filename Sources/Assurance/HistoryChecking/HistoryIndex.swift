import TrialModel

/// A history's events by key: two arrays, each sorted once by counting. 8 bytes for each operation and 4 for each
/// request.
struct HistoryIndex: Sendable {
    /// The number of keys; from here on, a key is identified by its rank.
    let keyCount: Int
    /// The operations of a key are adjacent: caller by caller, and each caller's in its order.
    private let operations: [EventReference]
    private let operationStarts: [Int]
    /// Positions in the history's list.
    private let requests: [UInt32]
    private let requestStarts: [Int]
    /// Removals of all keys that surely took effect, sorted by start.
    let clears: [EventSpan]
    /// All removals of all keys, with an open end where the effect isn't certain; sorted by start.
    let possibleClears: [EventSpan]

    /// Sorts a history's events. O(events + keys).
    init(_ history: History) {
        let ranks = KeyRanks(history)
        keyCount = ranks.count
        (operations, operationStarts) = Self.operations(of: history, ranks)
        (requests, requestStarts) = Self.requests(of: history, ranks)
        let all = Self.clears(of: history)
        possibleClears = all
        clears = all.filter { $0.end != .max }
    }

    /// The operations of a key, by rank.
    func operations(ofKey rank: Int) -> ArraySlice<EventReference> {
        operations[operationStarts[rank]..<operationStarts[rank + 1]]
    }

    /// The positions of a key's requests, by rank.
    func requests(ofKey rank: Int) -> ArraySlice<UInt32> {
        requests[requestStarts[rank]..<requestStarts[rank + 1]]
    }

    private static func operations(of history: History, _ ranks: KeyRanks) -> ([EventReference], [Int]) {
        var starts = Array(repeating: 0, count: ranks.count + 1)
        for operations in history.callers {
            for operation in operations where operation.kind != .clear { starts[ranks[operation.key] + 1] += 1 }
        }
        for rank in 0..<ranks.count { starts[rank + 1] += starts[rank] }
        var next = starts
        var sorted = Array(repeating: EventReference(request: 0), count: starts[ranks.count])
        for (caller, operations) in history.callers.enumerated() {
            for (position, operation) in operations.enumerated() where operation.kind != .clear {
                let rank = ranks[operation.key]
                sorted[next[rank]] = EventReference(caller: caller, position: position)
                next[rank] += 1
            }
        }
        return (sorted, starts)
    }

    private static func requests(of history: History, _ ranks: KeyRanks) -> ([UInt32], [Int]) {
        var starts = Array(repeating: 0, count: ranks.count + 1)
        for request in history.requests { starts[ranks[request.key] + 1] += 1 }
        for rank in 0..<ranks.count { starts[rank + 1] += starts[rank] }
        var next = starts
        var sorted: [UInt32] = Array(repeating: 0, count: history.requests.count)
        for (position, request) in history.requests.enumerated() {
            let rank = ranks[request.key]
            sorted[next[rank]] = UInt32(truncatingIfNeeded: position)
            next[rank] += 1
        }
        return (sorted, starts)
    }

    private static func clears(of history: History) -> [EventSpan] {
        var clears: [EventSpan] = []
        for (caller, operations) in history.callers.enumerated() {
            for (position, operation) in operations.enumerated() where operation.kind == .clear {
                clears.append(
                    EventSpan(
                        start: operation.call, end: operation.outcome == .done ? operation.answer : .max,
                        reference: EventReference(caller: caller, position: position)))
            }
        }
        return clears.sorted { $0.start < $1.start }
    }
}

/// Numbers keys from 0 without large gaps. A trial's keys have such numbers already; other keys are sorted.
private struct KeyRanks {
    let count: Int
    /// All keys in order; empty when a key is its own rank.
    private let sortedKeys: [UInt32]

    init(_ history: History) {
        var highest: UInt32 = 0
        for operations in history.callers {
            for operation in operations where operation.kind != .clear { highest = max(highest, operation.key) }
        }
        for request in history.requests { highest = max(highest, request.key) }
        if Int(highest) < 4 * (history.count + history.requests.count) + 1_024 {
            sortedKeys = []
            count = Int(highest) + 1
        } else {
            var keys = Set(history.requests.map(\.key))
            for operations in history.callers {
                for operation in operations where operation.kind != .clear { keys.insert(operation.key) }
            }
            sortedKeys = keys.sorted()
            count = sortedKeys.count
        }
    }

    /// The rank of a key. O(1), or O(log keys) where keys have large gaps.
    @inline(__always)
    subscript(key: UInt32) -> Int {
        sortedKeys.isEmpty ? Int(key) : rank(of: key)
    }

    private func rank(of key: UInt32) -> Int { sortedKeys.dropLast().partitioningIndex { $0 >= key } }
}
