import Traces
package import TrialModel

/// The requests of a trace in memory, their keys numbered from 0 on in the order in which they first come.
///
/// Takes 4 bytes a request, one more where the trace says what is asked, 8 more where it says when, and 4 bytes a key
/// each for sizes and lifetimes.
package final class TraceWorkload: @unchecked Sendable {
    // Sound although unchecked: nothing in it changes after it was made.

    /// How many requests there are; at least 1.
    package let requestCount: Int
    /// How many different keys they ask for.
    package let keyCount: Int
    /// The bytes of each key's value, as its first request says and within ``KeyTrace/sizeRange``; `nil` when the trace
    /// has no sizes.
    package let keySizes: [UInt32]?
    /// The seconds each key's value lives, as its first request says, 0 for good; `nil` when the trace has no lifetimes.
    package let keyLifetimes: [UInt32]?

    /// When each request came, in nanoseconds, never decreasing; `nil` when the trace has no times or they aren't kept.
    let times: UnsafePointer<UInt64>?
    private let hasTimes: Bool
    let keys: UnsafePointer<UInt32>
    /// `nil` when all requests are loads.
    let kinds: UnsafePointer<OperationKind>?

    /// Reads the trace, to its end or to the scenario's limit.
    ///
    /// - Parameter keepsTimes: whether ``TraceTimes`` will be asked for.
    /// - Throws: when anything that is used of the trace is bad, or it is larger than a scenario's may be.
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
        times = columns.times.isEmpty ? nil : Self.copy(TraceTimes.spread(columns.times))
        keys = Self.copy(columns.ids)
        kinds = columns.kinds.isEmpty ? nil : Self.copy(columns.kinds)
    }

    deinit {
        keys.deallocate()
        kinds?.deallocate()
        times?.deallocate()
    }

    /// What a scenario is checked against.
    package var facts: KeyTraceFacts {
        var facts = KeyTraceFacts(
            requestCount: requestCount, keyCount: keyCount, hasLifetimes: keyLifetimes != nil,
            hasTimes: hasTimes)
        if let keySizes, let smallest = keySizes.min(), let largest = keySizes.max() {
            facts.sizes = KeyTraceFacts.Sizes(
                smallest: UInt64(smallest), largest: UInt64(largest), total: keySizes.reduce(0) { $0 &+ UInt64($1) })
        }
        return facts
    }

    /// Refuses a trace that is another one than the scenario was checked with.
    ///
    /// - Throws: ``TraceWorkloadError/changed(_:)``.
    package func check(against keys: KeySpace) throws(TraceWorkloadError) {
        guard let trace = keys.trace, trace.requestCount == requestCount, keys.count == keyCount else {
            throw .changed(keys.trace?.path ?? "the trace")
        }
    }

    /// A copy that nothing counts references of; its elements are plain values, so that freeing it is enough.
    private static func copy<Element>(_ elements: [Element]) -> UnsafePointer<Element> {
        let copy = UnsafeMutablePointer<Element>.allocate(capacity: max(elements.count, 1))
        elements.withUnsafeBufferPointer { elements in
            if let first = elements.baseAddress { copy.initialize(from: first, count: elements.count) }
        }
        return UnsafePointer(copy)
    }
}

/// A trace as it is read.
private struct TraceRequests {
    private(set) var ids: [UInt32] = []
    /// Empty as long as all are loads.
    private(set) var kinds: [OperationKind] = []
    private(set) var times: [UInt64] = []
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
        // A block is checked as a whole: a longer one could fail behind what is used.
        options.blockRequestCount = min(options.blockRequestCount, limit)
        let reader = try TraceReader(
            path: trace.path, format: trace.format.flatMap { TraceFormat(named: $0.rawValue) }, options: options)
        has = reader.columns
        var block = TraceBlock()
        var newIDs: [UInt32] = []
        var numbering = try TraceNumbering()
        while ids.count < limit, try reader.read(into: &block) {
            newIDs.removeAll(keepingCapacity: true)
            try reader.appendIDs(of: block, to: &newIDs, &numbering)
            try add(block, newIDs)
        }
    }

    private mutating func add(_ block: borrowing TraceBlock, _ newIDs: [UInt32]) throws(TraceWorkloadError) {
        let taken = min(newIDs.count, limit - ids.count)
        guard ids.count + taken <= KeyTrace.requestCountMax else { throw .tooManyRequests }
        for index in 0..<taken {
            let id = newIDs[index]
            // A key that comes for the first time has the next number.
            guard id == keyCount else { continue }
            keyCount += 1
            if has.contains(.size) { keySizes.append(block.sizes[index].moved(into: KeyTrace.sizeRange)) }
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
        if keepsTimes, has.contains(.time) { times.append(contentsOf: block.timesNanoseconds.prefix(taken)) }
        ids.append(contentsOf: newIDs.prefix(taken))
    }
}

extension OperationKind {
    /// What a request of a trace is to a cache: its reads fetch what is not there.
    fileprivate init(_ operation: TraceOperation) {
        self =
            switch operation {
            case .read: .load
            case .write: .write
            case .remove: .remove
            }
    }
}

/// Why a trace can't be the keys of a scenario.
package enum TraceWorkloadError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What the reader of traces says.
    case unreadable(String)
    /// More requests than a scenario may use.
    case tooManyRequests
    /// More different keys than a scenario may have.
    case tooManyKeys
    /// Not the trace that the scenario was checked with.
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
