import EvictionPolicies
import Foundation
import Traces
import TrialModel

/// Sizes advised for generated traces, against the best size for a much longer trace of the same process.
enum GeneratedTrial {
    private static let requests = 100_000
    private static let seeds: ClosedRange<UInt64> = 1...8
    /// How much longer the trace is that tells the true size.
    private static let truthFactor = 8

    static func run() throws {
        var (all, inside, refused, refusedInside) = (0, 0, 0, 0)
        for process in GeneratedProcess.all {
            let truth = try Truth(process, requests: requests * truthFactor)
            for seed in seeds {
                let file = try process.file(requests: requests, seed: seed)
                let advice = try TraceAdvice(path: file.path)
                let best = try truth.size(advice.policy)
                let size = advice.size
                // A key that the trace has not seen is less than a step of the sizes.
                let isInside = size.low.units <= best * 1.01 && (size.isOpenAbove || best <= size.high.units * 1.01)
                all += 1
                refused += advice.refusal == nil ? 0 : 1
                inside += isInside && advice.refusal == nil ? 1 : 0
                refusedInside += isInside && advice.refusal != nil ? 1 : 0
                print(
                    process.name, seed, advice.policy.name, "true", best, "advised", size.capacity.units,
                    "\(size.low.units)...\(size.high.units)\(size.isOpenAbove ? "+" : "")",
                    isInside ? "inside" : "outside",
                    advice.refusal.map { "\($0.reason)" } ?? "given")
            }
        }
        print(
            "# generated: \(all) traces, \(refused) refused, \(inside) of the others inside,",
            "\(refusedInside) of the refused")
    }

    /// The best size on a long trace, whose first half warms the caches.
    private final class Truth {
        private let (half, whole): (TemporaryTrace, TemporaryTrace)
        private let capacities: [ReplayCapacity]
        private var known: [ReplayPolicy: Double] = [:]

        init(_ process: GeneratedProcess, requests: Int) throws {
            half = try process.file(requests: requests / 2, seed: 99)
            whole = try process.file(requests: requests, seed: 99)
            let all = process.keySpace * (process.hasSizes ? GeneratedProcess.meanSize(process) : 1)
            let steps = -36...(process.scanShare > 0 ? 6 : 0)
            capacities = steps.map { step in
                let units = max(1, (all * pow(1000, Double(step) / 36)).rounded())
                return process.hasSizes ? .bytes(UInt64(units)) : .entries(Int(units))
            }
        }

        func size(_ policy: ReplayPolicy) throws -> Double {
            if let size = known[policy] { return size }
            let replay = TraceReplay(policies: [policy], capacities: capacities, jobs: 2)
            let before = try replay.run(path: half.path).results
            let after = try replay.run(path: whole.path).results
            let values = zip(before, after).map { before, after in
                let hits = Double(after.counts.hits) - Double(before.counts.hits)
                let requests = Double(after.counts.requests - before.counts.requests)
                return hits / requests - 0.01 * log2(after.capacity.units)
            }
            let best = values.indices.max { values[$0] < values[$1] } ?? 0
            let size = after[best].capacity.units
            known[policy] = size
            return size
        }
    }
}

/// A way to generate requests that does not change with time.
struct GeneratedProcess {
    var exponent: Double
    var keys: Int
    /// The share of the requests that walk through a loop, and its length.
    var loopShare = 0.0
    var loopLength = 0
    /// The share of the requests that are for new keys, in runs of 100.
    var scanShare = 0.0
    /// The number of requests after which every key is a rank less popular; 0 for never.
    var driftEvery = 0
    var hasSizes = false

    var name: String {
        "zipf(\(exponent),\(keys))" + (loopShare > 0 ? "+loop(\(loopLength),\(loopShare))" : "")
            + (scanShare > 0 ? "+scan(\(scanShare))" : "") + (driftEvery > 0 ? "+drift(\(driftEvery))" : "")
            + (hasSizes ? "+sizes" : "")
    }

    /// The number of keys that come again.
    var keySpace: Double { Double(keys + (loopShare > 0 ? loopLength : 0)) }

    static let all: [GeneratedProcess] = {
        let plain = [0.6, 0.8, 0.9, 1.0, 1.1, 1.2, 1.4].flatMap { exponent in
            [2_000, 10_000].map { GeneratedProcess(exponent: exponent, keys: $0) }
        }
        let mixed = [0.8, 1.0, 1.2].flatMap { exponent in
            [
                GeneratedProcess(exponent: exponent, keys: 5_000, loopShare: 0.3, loopLength: 1_500),
                GeneratedProcess(exponent: exponent, keys: 5_000, scanShare: 0.25),
                GeneratedProcess(exponent: exponent, keys: 5_000, driftEvery: 50),
                GeneratedProcess(exponent: exponent, keys: 5_000, hasSizes: true),
            ]
        }
        return plain + mixed + [GeneratedProcess(exponent: 1, keys: 1, loopShare: 1, loopLength: 2_000)]
    }()

    static func size(_ key: Int) -> Int {
        512 << (Int(truncatingIfNeeded: UInt64(key) &* 0x9E37_79B9_7F4A_7C15 >> 40) % 8)
    }

    static func meanSize(_ process: GeneratedProcess) -> Double {
        Double((0..<process.keys).reduce(0) { $0 + size($1) }) / Double(max(1, process.keys))
    }

    func file(requests: Int, seed: UInt64) throws -> TemporaryTrace {
        var text: [UInt8] = hasSizes ? Array("key,size\n".utf8) : []
        generate(requests: requests, seed: seed) { key in
            text.append(contentsOf: (hasSizes ? "\(key),\(Self.size(key))\n" : "\(key)\n").utf8)
        }
        return try TemporaryTrace(text, ending: hasSizes ? "csv" : "lirs")
    }

    /// Calls `body` with each key.
    func generate(requests: Int, seed: UInt64, _ body: (Int) -> Void) {
        var random = RandomSource(seed: seed, stream: UInt64(keys))
        var sums: [Double] = []
        var sum = 0.0
        for rank in 1...keys {
            sum += pow(Double(rank), -exponent)
            sums.append(sum)
        }
        var (loopPosition, scanned, inScan) = (0, 0, 0)
        for index in 0..<requests {
            let choice = random.nextFraction()
            if inScan == 0, choice < scanShare / 100 / (1 - scanShare) { inScan = 100 }
            if inScan > 0 {
                inScan -= 1
                scanned += 1
                body(1_000_000 + scanned)
            } else if choice > 1 - loopShare {
                loopPosition = (loopPosition + 1) % loopLength
                body(500_000 + loopPosition)
            } else {
                let rank = sums.firstIndexAbove(random.nextFraction() * sum)
                body(driftEvery > 0 ? (rank + index / driftEvery) % keys : rank)
            }
        }
    }
}

extension [Double] {
    /// The first index whose element is above a value, in ascending elements; the last if there is none.
    fileprivate func firstIndexAbove(_ value: Double) -> Int {
        var (low, high) = (0, count - 1)
        while low < high {
            let middle = (low + high) / 2
            if self[middle] > value { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
