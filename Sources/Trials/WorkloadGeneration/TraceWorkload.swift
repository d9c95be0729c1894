import Traces
package import TrialModel

/// The requests of a trace in memory, with keys numbered from 0 in the order of their first request.
///
/// Takes 4 bytes per request, 1 more if the trace has kinds, 8 more if it has times, and 4 bytes per key each for sizes
/// and lifetimes.
package final class TraceWorkload: @unchecked Sendable {
    // Sound although unchecked: an instance never changes after its creation.

    /// How many requests there are; at least 1.
    package let requestCount: Int
    /// The number of distinct keys.
    package let keyCount: Int
    /// The size of each key's value in bytes, from its first request and clamped to ``KeyTrace/sizeRange``; `nil` when
    /// the trace has no sizes.
    package let keySizes: [UInt32]?
    /// The lifetime of each key's value in seconds, from its first request; 0 means unlimited. `nil` when the trace has
    /// no lifetimes.
    package let keyLifetimes: [UInt32]?

    /// The time of each request in nanoseconds, never decreasing; `nil` when the trace has no times or they are not
    /// kept.
    let times: UnsafePointer<UInt64>?
    private let hasTimes: Bool
    /// The time from the first request to the last one, in nanoseconds; 0 without times.
    private let nanoseconds: UInt64
    let keys: UnsafePointer<UInt32>
    /// `nil` when all requests are loads.
    let kinds: UnsafePointer<OperationKind>?

    /// Reads the trace, to its end or to the scenario's limit.
    ///
    /// - Parameter keepsTimes: whether ``TraceTimes`` will be needed.
    /// - Throws: ``TraceWorkloadError`` when the used part of the trace is bad or exceeds the limits of a scenario.
    /// - Complexity: O(requests).
    package convenience init(_ trace: KeyTrace, keepsTimes: Bool = false) throws(TraceWorkloadError) {
        do {
            var columns = TraceRequests(limit: trace.requestLimit, keepsTimes: keepsTimes)
            try columns.read(trace)
            self.init(columns)
        } catch let error as TraceError {
            throw .unreadable(error.description)
        } catch let error as TraceWorkloadError {
            throw error
        } catch {
            throw .unreadable("\(trace.path): \(error)")
        }
    }

    private init(_ columns: TraceRequests) {
        requestCount = columns.ids.count
        keyCount = columns.keyCount
        keySizes = columns.has.contains(.size) ? columns.keySizes : nil
        keyLifetimes = columns.has.contains(.lifetime) ? columns.keyLifetimes : nil
        hasTimes = columns.has.contains(.time)
        nanoseconds = columns.lastTime - min(columns.firstTime ?? 0, columns.lastTime)
        times = columns.times.isEmpty ? nil : Self.copy(TraceTimes.spread(columns.times))
        keys = Self.copy(columns.ids)
        kinds = columns.kinds.isEmpty ? nil : Self.copy(columns.kinds)
    }

    deinit {
        keys.deallocate()
        kinds?.deallocate()
        times?.deallocate()
    }

    /// The facts that a scenario is checked against.
    package var facts: KeyTraceFacts {
        var facts = KeyTraceFacts.defaults.with {
            $0.requestCount = requestCount
            $0.keyCount = keyCount
            $0.hasLifetimes = keyLifetimes != nil
            ($0.hasTimes, $0.nanoseconds) = (hasTimes, nanoseconds)
        }
        if let keySizes, let smallest = keySizes.min(), let largest = keySizes.max() {
            facts.sizes = KeyTraceFacts.Sizes(
                smallest: UInt64(smallest), largest: UInt64(largest), total: keySizes.reduce(0) { $0 &+ UInt64($1) })
        }
        return facts
    }

    /// Rejects a trace that differs from the one that the scenario was checked with.
    ///
    /// - Throws: ``TraceWorkloadError/changed(_:)`` when the trace differs.
    package func check(against keys: KeySpace) throws(TraceWorkloadError) {
        guard let trace = keys.trace, trace.requestCount == requestCount, keys.count == keyCount else {
            throw .changed(keys.trace?.path ?? "the trace")
        }
    }

    /// A copy without reference counts; its elements are plain values, so freeing the memory is enough.
    private static func copy<Element>(_ elements: [Element]) -> UnsafePointer<Element> {
        let copy = UnsafeMutablePointer<Element>.allocate(capacity: max(elements.count, 1))
        elements.withUnsafeBufferPointer { elements in
            if let first = elements.baseAddress { copy.initialize(from: first, count: elements.count) }
        }
        return UnsafePointer(copy)
    }
}

/// A trace while it is read.
private struct TraceRequests {
    private(set) var ids: [UInt32] = []
    /// Empty as long as all requests are loads.
    private(set) var kinds: [OperationKind] = []
    private(set) var times: [UInt64] = []
    private(set) var firstTime: UInt64?
    /// The latest one: times never decrease once they are spread.
    private(set) var lastTime: UInt64 = 0
    private(set) var keySizes: [UInt32] = []
    private(set) var keyLifetimes: [UInt32] = []
    private(set) var keyCount = 0
    /// The columns of the trace.
    private(set) var has: TraceColumns = []
    private let limit: Int
    private let keepsTimes: Bool

    init(limit: Int?, keepsTimes: Bool) {
        self.limit = max(limit ?? .max, 1)
        self.keepsTimes = keepsTimes
    }

    mutating func read(_ trace: KeyTrace) throws {
        var options = TraceReadingOptions(columns: [.time, .size, .operation, .lifetime])
        // A block is checked as a whole, so a longer one could fail because of requests beyond the limit.
        options.blockRequestCount = min(options.blockRequestCount, limit)
        let reader = try TraceReader(path: trace.path, format: trace.format, options: options)
        has = reader.columns
        var block = TraceBlock()
        var newIDs: [UInt32] = []
        while ids.count < limit, try reader.read(into: &block, ids: &newIDs) { try add(block, newIDs) }
    }

    private mutating func add(_ block: borrowing TraceBlock, _ newIDs: [UInt32]) throws(TraceWorkloadError) {
        let taken = min(newIDs.count, limit - ids.count)
        guard ids.count + taken <= KeyTrace.requestCountMax else { throw .tooManyRequests }
        for index in 0..<taken {
            let id = newIDs[index]
            // A new key has the next number.
            guard id == keyCount else { continue }
            keyCount += 1
            if has.contains(.size) {
                keySizes.append(UInt32(clamping: block.sizes[index]).moved(into: KeyTrace.sizeRange))
            }
            if has.contains(.lifetime) { keyLifetimes.append(block.lifetimesSeconds[index]) }
        }
        guard keyCount <= KeyTrace.keyCountMax else { throw .tooManyKeys }
        if block.columns.contains(.operation) {
            let operations = block.operations.prefix(taken)
            if kinds.isEmpty, operations.contains(where: { $0 != .read }) {
                kinds = Array(repeating: .load, count: ids.count)
                kinds.reserveCapacity(ids.count + taken)
                kinds.append(contentsOf: operations.map(OperationKind.init))
            } else if !kinds.isEmpty {
                kinds.append(contentsOf: operations.map(OperationKind.init))
            }
        }
        if has.contains(.time) {
            for time in block.timesNanoseconds.prefix(taken) {
                if firstTime == nil { firstTime = time }
                lastTime = max(lastTime, time)
            }
        }
        if keepsTimes, has.contains(.time) { times.append(contentsOf: block.timesNanoseconds.prefix(taken)) }
        ids.append(contentsOf: newIDs.prefix(taken))
    }
}

extension OperationKind {
    /// The operation of a cache for a request of a trace: reads become loads, which fetch missing values.
    fileprivate init(_ operation: TraceOperation) {
        self =
            switch operation {
            case .read: .load
            case .write: .write
            case .remove: .remove
            }
    }
}

/// Why a trace cannot provide the keys of a scenario.
package enum TraceWorkloadError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The error of the trace reader.
    case unreadable(String)
    /// The trace has more requests than a scenario may use.
    case tooManyRequests
    /// The trace has more distinct keys than a scenario may have.
    case tooManyKeys
    /// The trace is not the one that the scenario was checked with.
    case changed(String)

    package var description: String {
        switch self {
        case .unreadable(let reason): reason
        case .tooManyRequests: "more than \(KeyTrace.requestCountMax) requests; cut the trace with 'requests'"
        case .tooManyKeys: "more than \(KeyTrace.keyCountMax) different keys; cut the trace with 'requests'"
        case .changed(let path): "\(path): has changed since the run began; run again when it is complete"
        }
    }
}

extension UInt32 {
    fileprivate func moved(into range: ClosedRange<UInt32>) -> UInt32 {
        Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
    }
}

/// One client's walk through a trace: every *n*-th request, restarting from the beginning at the end.
@usableFromInline
// Sound although unchecked: the memory it points to never changes and lives as long as the workload, which the stream
// keeps.
struct TraceWalk: @unchecked Sendable {
    // Pointers, because reading an array may change its reference count, which all clients share.
    private let keys: UnsafePointer<UInt32>
    private let kinds: UnsafePointer<OperationKind>?
    private let count: Int
    private let stride: Int
    /// Whether the trace chooses the kind of operation.
    let followsKinds: Bool
    /// The next request, below `count`.
    private var place: Int

    /// Creates a walk for client number `client` of `clients`.
    ///
    /// - Parameters:
    ///   - operationsBefore: how many requests the previous phases have used up.
    ///   - followsKinds: whether the trace chooses the kind of operation.
    init(_ trace: TraceWorkload, operationsBefore: UInt64, client: UInt64, clients: UInt64, followsKinds: Bool) {
        keys = trace.keys
        kinds = trace.kinds
        count = trace.requestCount
        let requests = UInt64(trace.requestCount)
        // Each is below 2^27 after the division, so the sum cannot overflow.
        place = Int((operationsBefore % requests + client % requests) % requests)
        stride = Int(clients % requests)
        self.followsKinds = followsKinds
    }

    /// The next request: its key, and its kind if the trace has kinds. O(1).
    mutating func next() -> (key: UInt32, kind: OperationKind?) {
        let key = keys[place]
        let kind = followsKinds ? kinds?[place] ?? .load : nil
        place += stride
        if place >= count { place -= count }
        return (key, kind)
    }
}
