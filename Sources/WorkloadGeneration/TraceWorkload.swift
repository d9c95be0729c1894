import TraceFiles
package import TrialModel

/// The requests of a trace in memory, their keys numbered from 0 on in the order in which they first come.
///
/// Takes 4 bytes a request, one more where the trace says what is asked, and 4 bytes a key where it has sizes.
package final class TraceWorkload: @unchecked Sendable {
    // Sound although unchecked: nothing in it changes after it was made.

    /// How many requests there are; at least 1.
    package let requestCount: Int
    /// How many different keys they ask for.
    package let keyCount: Int
    /// The bytes of each key's value, as its first request says and within ``KeyTrace/sizeRange``; `nil` when the trace
    /// has no sizes.
    package let keySizes: [UInt32]?

    let keys: UnsafePointer<UInt32>
    /// `nil` when all requests are loads.
    let kinds: UnsafePointer<OperationKind>?

    /// Reads the trace, to its end or to the scenario's limit.
    ///
    /// - Throws: when anything that is used of the trace is bad, or it is larger than a scenario's may be.
    /// - Complexity: O(requests).
    package convenience init(_ trace: KeyTrace) throws(TraceWorkloadError) {
        do {
            var columns = TraceRequests(limit: trace.requestLimit)
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
        keySizes = columns.hasSizes ? columns.keySizes : nil
        keys = Self.copy(columns.ids)
        kinds = columns.kinds.isEmpty ? nil : Self.copy(columns.kinds)
    }

    deinit {
        keys.deallocate()
        kinds?.deallocate()
    }

    /// What a scenario is checked against.
    package var facts: KeyTraceFacts {
        var facts = KeyTraceFacts(requestCount: requestCount, keyCount: keyCount)
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
    private(set) var keySizes: [UInt32] = []
    private(set) var keyCount = 0
    private(set) var hasSizes = false
    private let limit: Int

    /// Thrown to stop reading.
    private struct Enough: Error {}

    init(limit: Int?) {
        self.limit = max(limit ?? .max, 1)
    }

    mutating func read(_ trace: KeyTrace) throws {
        var options = TraceReadingOptions(columns: [.size, .operation])
        // A block is checked as a whole: a longer one could fail behind what is used.
        options.blockRequestCount = min(options.blockRequestCount, limit)
        let reader = try TraceReader(
            path: trace.path, format: trace.format.flatMap { TraceFormat(named: $0.rawValue) }, options: options)
        hasSizes = reader.columns.contains(.size)
        do {
            _ = try reader.forEachNumberedBlock { block, ids in try add(block, ids) }
        } catch is Enough {}
    }

    private mutating func add(_ block: borrowing TraceBlock, _ newIDs: [UInt32]) throws {
        let taken = min(newIDs.count, limit - ids.count)
        guard ids.count + taken <= KeyTrace.requestCountMax else { throw TraceWorkloadError.tooManyRequests }
        for index in 0..<taken {
            let id = newIDs[index]
            // A key that comes for the first time has the next number.
            guard id == keyCount else { continue }
            keyCount += 1
            if hasSizes { keySizes.append(block.sizes[index].moved(into: KeyTrace.sizeRange)) }
        }
        guard keyCount <= KeyTrace.keyCountMax else { throw TraceWorkloadError.tooManyKeys }
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
        ids.append(contentsOf: newIDs.prefix(taken))
        if ids.count == limit { throw Enough() }
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
