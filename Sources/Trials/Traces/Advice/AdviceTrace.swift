import EvictionPolicies
import TrialModel

/// A trace in memory, or as much of it as is replayed for advice.
///
/// The file is read once. While more requests than allowed are kept, half of the keys are dropped by their hash, with
/// all of their requests (C. Waldspurger, N. Park, A. Garthwaite, I. Ahmad: Efficient MRC Construction with SHARDS,
/// FAST 2015; of fixed size). A trace of any length needs the same memory: some 34 bytes for each kept request, and
/// for text keys the table of the reader. Lifetimes take 8 bytes more.
struct AdviceTrace: Sendable {
    /// The number of parts of equal length; their differences tell how much chance there is in a result.
    static let sliceCount = 32
    /// The number of groups of keys, whose differences tell how much chance there is in a sample.
    static let groupCount = 8

    /// The number of each kept record's key, removals included.
    private(set) var ids: [UInt32] = []
    /// The number of lookups in the trace before each kept record.
    private(set) var positions: [UInt64] = []
    /// These columns are empty where the trace does not have them.
    private(set) var sizes: [UInt64] = []
    private(set) var times: [UInt64] = []
    private(set) var costs: [UInt32] = []
    private(set) var isRemoval: [Bool] = []
    private var isWrite: [Bool] = []
    /// From when on the value of each record is too old; empty where the trace has no times or no lifetimes.
    private var deadlines: [UInt64] = []
    /// Whether each record replaces the size of its object; empty where none does.
    private var replacements: [Bool] = []
    /// A hash of each kept key.
    private(set) var hashes: [UInt64] = []
    /// The share of the keys that is kept.
    private(set) var rate = 1.0

    /// The totals of the whole trace.
    private(set) var lookups = 0
    private(set) var removals = 0
    private var total = ByteTotal()
    private(set) var costRequested: UInt64 = 0
    /// In nanoseconds; `nil` when the trace has no times, or only one.
    private(set) var duration: UInt64?
    /// Whether keys have sizes that are not all the same.
    private(set) var sizesDiffer = false
    /// Whether an object keeps the size of the request that admitted it.
    private(set) var keepsFirstSizes = false

    private var numbers: [UInt64: UInt32] = [:]
    private var threshold = UInt64.max
    private let seed: UInt64
    private let columns: TraceColumns

    var bytesRequested: UInt64 { total.bytes }
    var isSample: Bool { rate < 1 }
    var hasSizes: Bool { !sizes.isEmpty }
    var hasRemovals: Bool { removals > 0 }
    var hasLifetimes: Bool { !deadlines.isEmpty }

    /// Reads a trace. O(requests).
    ///
    /// - Parameter needsSizes: whether sizes are needed, so that a trace without them is an error.
    /// - Throws: `TraceError` when the trace can't be read to its end, ``AdviceError`` when its columns are no use.
    init(
        path: String, format: TraceFormat? = nil, options: TraceReadingOptions, request: AdviceRequest, needsSizes: Bool
    ) throws {
        var options = options
        options.columns = [.time, .size, .operation, .cost]
        options.wantsLifetimes = true
        keepsFirstSizes = options.keepsFirstSizes
        let reader = try TraceReader(path: path, format: format, options: options)
        columns = reader.columns
        seed = SpatialSample.mix(request.seed)
        guard !needsSizes || columns.contains(.size) else {
            throw AdviceError(
                description: "\(path) has no sizes, so a size in bytes can't be judged; give it in entries (1000) or "
                    + "per cent (5%), or record a column size.")
        }
        var block = TraceBlock()
        var clock: (first: UInt64, last: UInt64)?
        while try reader.read(into: &block) {
            try Task.checkCancellation()
            try checkTimes(of: block, &clock, path)
            try append(block, reader)
            while ids.count > max(1, request.replayedRequestsMax) { halve() }
        }
        numbers = [:]
        guard lookups > 0 else {
            throw AdviceError(description: "\(path) has removals and no lookups; record the lookups of the cache too.")
        }
        if hasSizes, !keepsFirstSizes { try resolveSizes(reader) }
        if hasSizes, bytesRequested == 0 {
            guard !needsSizes else {
                throw AdviceError(
                    description: "\(path) has a size of 0 in every request, so a size in bytes can't be judged; record "
                        + "the sizes of the values, or give the size in entries.")
            }
            sizes = []
        }
        if let clock, clock.last > clock.first {
            duration = clock.last - clock.first
        } else {
            (times, deadlines) = ([], [])
        }
    }

    private func checkTimes(
        of block: borrowing TraceBlock, _ clock: inout (first: UInt64, last: UInt64)?, _ path: String
    ) throws {
        for (index, time) in block.timesNanoseconds.enumerated() {
            let known = clock ?? (time, time)
            guard time >= known.last else {
                throw AdviceError(
                    description: "\(path): the time of request \(lookups + removals + index + 1) is before that of "
                        + "the request before it; sort the trace by time.")
            }
            clock = (known.first, time)
        }
    }

    private mutating func append(_ block: borrowing TraceBlock, _ reader: TraceReader) throws {
        for index in 0..<block.count {
            let isRemoved = columns.contains(.operation) && block.operations[index] == .remove
            let size = columns.contains(.size) ? block.sizes[index] : 1
            let cost = columns.contains(.cost) ? block.costs[index] : 0
            let position = lookups
            if isRemoved {
                removals += 1
            } else {
                lookups += 1
                guard total.add(size) else { throw Self.tooManyBytes(reader) }
                costRequested &+= UInt64(cost)
            }
            let hash = SpatialSample.mix(reader.content(of: block.keys[index]) &+ seed)
            guard hash <= threshold else { continue }
            ids.append(number(of: hash))
            positions.append(UInt64(position))
            if columns.contains(.size) {
                if let first = sizes.first, first != size { sizesDiffer = true }
                sizes.append(size)
            }
            if columns.contains(.time) { times.append(block.timesNanoseconds[index]) }
            if columns.contains(.cost) { costs.append(cost) }
            if columns.contains(.operation) {
                isRemoval.append(isRemoved)
                isWrite.append(block.operations[index] == .write)
            }
            if columns.contains(.lifetime) {
                let seconds = UInt64(block.lifetimesSeconds[index])
                let (end, isLate) = block.timesNanoseconds[index].addingReportingOverflow(seconds &* 1_000_000_000)
                deadlines.append(seconds == 0 || isLate ? .max : end)
            }
        }
    }

    /// The facts of a meter, which has no records.
    init(rate: Double, lookups: Int, hasSizes: Bool) {
        (self.rate, self.lookups, sizesDiffer) = (rate, lookups, hasSizes)
        (seed, columns) = (0, [])
    }

    private mutating func number(of hash: UInt64) -> UInt32 {
        if let known = numbers[hash] { return known }
        let number = UInt32(truncatingIfNeeded: hashes.count)
        numbers[hash] = number
        hashes.append(hash)
        return number
    }

    /// Gives each kept record the size that a replay would: a write replaces it, and a read without one takes the last. All
    /// records of a kept key are kept. O(kept requests).
    private mutating func resolveSizes(_ reader: TraceReader) throws {
        var block = ReplayBlock(ids: ids, sizes: sizes)
        var history = SizeHistory()
        let operations = zip(isRemoval, isWrite).map { $0 ? TraceOperation.remove : $1 ? .write : .read }
        history.resolve(&block, operations: operations, keys: hashes.count)
        guard block.sizes != sizes || !block.replacements.isEmpty else { return }
        (sizes, replacements) = (block.sizes, block.replacements)
        var bytes = 0.0
        forEachLookup { bytes += Double(size($0)) }
        total = ByteTotal()
        guard let bytes = UInt64(exactly: (bytes / rate).rounded(.down)), total.add(bytes) else {
            throw Self.tooManyBytes(reader)
        }
    }

    private static func tooManyBytes(_ reader: TraceReader) -> TraceError {
        reader.error(.tooMany(ByteTotal.name, limit: Int(TraceRequest.sizeMax)))
    }

    /// Drops half of the keys. O(kept requests).
    private mutating func halve() {
        threshold /= 2
        rate /= 2
        let old = hashes
        hashes.removeAll(keepingCapacity: true)
        numbers.removeAll(keepingCapacity: true)
        var count = 0
        for index in ids.indices {
            let hash = old[Int(ids[index])]
            guard hash <= threshold else { continue }
            ids[count] = number(of: hash)
            positions[count] = positions[index]
            if !sizes.isEmpty { sizes[count] = sizes[index] }
            if !times.isEmpty { times[count] = times[index] }
            if !costs.isEmpty { costs[count] = costs[index] }
            if !isRemoval.isEmpty { (isRemoval[count], isWrite[count]) = (isRemoval[index], isWrite[index]) }
            if !deadlines.isEmpty { deadlines[count] = deadlines[index] }
            count += 1
        }
        ids.removeLast(ids.count - count)
        positions.removeLast(positions.count - count)
        if !sizes.isEmpty { sizes.removeLast(sizes.count - count) }
        if !times.isEmpty { times.removeLast(times.count - count) }
        if !costs.isEmpty { costs.removeLast(costs.count - count) }
        if !isRemoval.isEmpty {
            isRemoval.removeLast(isRemoval.count - count)
            isWrite.removeLast(isWrite.count - count)
        }
        if !deadlines.isEmpty { deadlines.removeLast(deadlines.count - count) }
    }

    /// Calls `body` with the index of each kept lookup. O(kept requests).
    @inline(__always)
    func forEachLookup(_ body: (Int) -> Void) {
        for index in ids.indices where isRemoval.isEmpty || !isRemoval[index] { body(index) }
    }

    /// Whether a kept record writes.
    @inline(__always)
    func isWrite(at index: Int) -> Bool { !isWrite.isEmpty && isWrite[index] }

    /// The slice of a kept record.
    @inline(__always)
    func slice(_ index: Int) -> Int {
        min(Self.sliceCount - 1, Int(positions[index]) * Self.sliceCount / lookups)
    }

    /// The group of a kept record's key.
    @inline(__always)
    func group(_ index: Int) -> Int { Int(hashes[Int(ids[index])] & UInt64(Self.groupCount - 1)) }

    /// The place of a kept record among the misses of a run: slice by slice, and in it group by group.
    @inline(__always)
    func cell(_ index: Int) -> Int { slice(index) * Self.groupCount + group(index) }

    /// The kept records as a policy receives them.
    var requests: PolicyRequests {
        var requests = PolicyRequests(ids, weights: sizes.isEmpty ? [1] : sizes)
        (requests.removals, requests.replacements) = (isRemoval, replacements)
        if hasLifetimes { requests.lifetimes = PolicyLifetimes(times: times, deadlines: deadlines, writes: isWrite) }
        return requests
    }

    /// The size of a kept record in the unit of a cache.
    @inline(__always)
    func size(_ index: Int) -> UInt64 { sizes.isEmpty ? 1 : sizes[index] }
}
