import EvictionPolicies
import Foundation
import Testing
import TrialModel

@testable import Traces

/// What times, sizes and the order of keys tell, on traces worked out by hand.
@Suite(.timeLimit(.minutes(5)))
struct AdviceTimesTests {
    let folder: TraceFolder

    init() throws { folder = try TraceFolder() }

    private func advice(_ text: String, missSeconds: Double? = nil) throws -> TraceAdvice {
        var request = AdviceRequest()
        request.budget = .entries(10)
        request.wantsCurve = false
        request.missCost = missSeconds.map { MissCost(nanosecondsPerMiss: $0 * 1e9, nanosecondsPerByte: 0) }
        return try TraceAdvice(path: try folder.write(text, to: "\(UUID().uuidString).csv"), request: request)
    }

    @Test func `requests within a load of their key are what single-flight saves`() throws {
        // a loads from 0 to 5 s: requests at 1 and 4 s wait, the one at 6 s does not. b waits once.
        let text = "time,key\n0,a\n1,a\n2,b\n4,a\n6,a\n6,b\n8,b\n9,a\n"
        #expect(try advice(text, missSeconds: 5).singleFlight?.value == 3.0 / 8)
        #expect(try advice(text, missSeconds: 1).singleFlight?.value == 0)
        #expect(try advice(text).singleFlight == nil)
        #expect(try advice("key\na\na\n", missSeconds: 5).singleFlight == nil)
    }

    @Test func `a lifetime costs the hits on older values, and a load begins another`() throws {
        // Loaded at 0; of the hits, 59 s is young; 61 s is older than a minute and loads; 100 s is young again.
        let text = "time,key\n0,a\n59,a\n61,a\n100,a\n700,a\n"
        let lifetimes = try advice(text).lifetimes
        #expect(lifetimes.map(\.seconds) == [60, 600, 3_600, 86_400])
        let costs: [Double] = [0.4, 0.2, 0, 0]
        #expect(lifetimes.map(\.cost.value) == costs)
        #expect(try advice("key\na\na\n").lifetimes.isEmpty)
    }

    @Test func `no policy that must insert is above the optimum of the slices that are judged`() throws {
        for seed in UInt64(1)...40 {
            var random = RandomSource(seed: seed, stream: 5)
            let lines = (0..<200).map { _ in "\(random.next(below: random.next(below: 12) + 1))\n" }
            let path = try folder.write(lines.joined(), to: "\(seed).lirs")
            let trace = try AdviceTrace(path: path, options: TraceReadingOptions(), request: .init(), needsSizes: false)
            let replay = AdviceReplay(trace, missCost: nil, jobs: 1)
            for entries in [2, 5] {
                let optimum = replay.optimum(.entries(entries), from: 12)
                for run in replay.runs([.lru, .fifo, .clock, .sieve, .lfu].map { ($0, .entries(entries)) }) {
                    let distance = replay.difference(optimum, run, .hits, in: 12..<AdviceTrace.sliceCount).value
                    #expect(distance >= 0, "\(run.policy.name), seed \(seed)")
                }
            }
        }
    }

    @Test func `a write renews a lifetime, is never a miss by age, and waits for no load`() throws {
        // The write at 61 s is no expiry: only the read 60 s after it is. The write after that renews again.
        let text = "time,key,operation\n0,a,read\n61,a,write\n100,a,read\n121,a,read\n122,a,write\n150,a,read\n"
        #expect(try advice(text).lifetimes[0].cost.value == 1.0 / 6)
        // The write at 1 s ends the load, so that the read at 2 s hits.
        let loads = "time,key,operation\n0,a,read\n1,a,write\n2,a,read\n"
        #expect(try advice(loads, missSeconds: 5).singleFlight?.value == 0)
    }

    @Test func `keys have the bytes that were last known, and not those of a read before the write`() throws {
        // memcached: each key is asked for without a size and then written, and later grows or shrinks.
        let rows = (0..<400).flatMap { time -> [String] in
            let key = time % 100
            return ["\(time),\(key),0,get", "\(time),\(key),\([500, 2_000, 100, 300][time / 100]),set"]
        }
        let path = try folder.write("time,key,size,operation\n" + rows.joined(separator: "\n") + "\n", to: "m.csv")
        var options = TraceReadingOptions()
        let replay = { (options: TraceReadingOptions) in
            AdviceReplay(
                try AdviceTrace(path: path, options: options, request: .init(), needsSizes: true), missCost: nil,
                jobs: 1)
        }
        let found = try replay(options)
        #expect(found.bytesBefore[8] == 50_000 && found.bytesBefore[32] == 30_000)
        #expect(found.total(inBytes: true) == 200_000 && found.warmSlice(.weight(60_000)) < 16)
        var request = AdviceRequest()
        request.budget = .bytes(150_000)
        #expect(try !TraceAdvice(path: path, request: request).fits)
        options.keepsFirstSizes = true
        #expect(try replay(options).total(inBytes: true) == 100)
    }

    @Test(arguments: [PolicyCapacity.entries(30), .weight(1_500)])
    func `lifetimes, and sizes that change, count as in a replay`(capacity: PolicyCapacity) throws {
        var random = RandomSource(seed: 31, stream: 5)
        let lines = (0..<5_000).map { time in
            let key = random.next(below: random.next(below: 120) + 1)
            let operation = ["read", "read", "read", "write", "remove"][Int(random.next(below: 5))]
            let size = operation == "read" && key % 3 == 0 ? 0 : key % 40 + random.next(below: 60)
            return "\(time),k\(key),\(size),\(operation),\(random.next(below: 4) * 50)\n"
        }
        let path = try folder.write("time,key,size,operation,ttl\n" + lines.joined(), to: "all.csv")
        let trace = try AdviceTrace(path: path, options: TraceReadingOptions(), request: .init(), needsSizes: true)
        let size: ReplayCapacity = capacity.entries.map { .entries($0) } ?? .bytes(1_500)
        let results = try TraceReplay(policies: [.lru, .sieve, .arc], capacities: [size]).run(path: path).results
        let replay = AdviceReplay(trace, missCost: nil, jobs: 1)
        for result in results {
            #expect(result.counts.expirations ?? 0 > 0)
            #expect(replay.hits(result.policy, capacity).count { $0 } == Int(result.counts.hits))
            #expect(trace.bytesRequested == result.counts.bytesRequested)
        }
        let curve = replay.lruRuns([.entries(20), .entries(30)])
        let lru = replay.runs([(.lru, .entries(20)), (.lru, .entries(30))])
        #expect(curve.map { $0.misses.reduce(0, +) } == lru.map { $0.misses.reduce(0, +) })
    }

    @Test func `requests, removals, keys and duration are counted`() throws {
        let character = try advice("time,key,operation\n10,a,read\n11,b,read\n12,a,delete\n15,a,read\n").character
        #expect(character.requests == 3 && character.removals == 1)
        #expect(character.keys == AdviceEstimate(value: 2, error: 0))
        #expect(character.durationNanoseconds == 5_000_000_000)
        #expect(character.patterns?.oneHitWonders.value == 0.5)
        #expect(character.firstRequests.value == 2.0 / 3)
        #expect(try advice("key\na\na\n").character.durationNanoseconds == nil)
    }

    @Test func `a loop, a scan and a drift are seen, and a Zipf law has its exponent`() throws {
        let character = { (keys: [Int]) in
            let path = try folder.write(keys.map { "\($0)\n" }.joined(), to: "\(UUID().uuidString).lirs")
            return TraceCharacter(
                try AdviceTrace(path: path, options: TraceReadingOptions(), request: .init(), needsSizes: false))
        }
        let loop = try character((0..<8_000).map { $0 % 400 })
        #expect(try #require(loop.patterns?.loop).share.value == 0.95)
        #expect(try (350...450).contains(#require(loop.patterns?.loop).length))
        #expect(loop.patterns?.scans.value == 0 && loop.patterns?.drift.value == 0)
        let scan = try character((0..<8_000).map { $0 % 100 < 50 ? $0 : $0 % 100 })
        #expect(abs((scan.patterns?.scans.value ?? 0) - 0.5) < 0.01)
        #expect(try character((0..<8_000).map { $0 < 4_000 ? $0 % 30 : 100 + $0 % 30 }).patterns?.drift.value == 1)
        let zipf = try character(TraceAdviceTests.zipf(1, keys: 5_000, count: 40_000))
        #expect(loop.popularity?.exponent.value == 0)
        #expect(try abs(#require(zipf.popularity).exponent.value - 1) < 0.1)
        #expect(try #require(zipf.popularity).rSquared > 0.98)
    }

    @Test func `bytes and their cost decide where they are known`() throws {
        // Large values are requested as often as small ones: in bytes, the small ones are worth keeping.
        let rows = TraceAdviceTests.zipf(0.7, keys: 300, count: 10_000).map { "\($0),\($0 % 2 == 0 ? 10 : 1_000)\n" }
        let path = try folder.write("key,size\n" + rows.joined(), to: "s.csv")
        var request = AdviceRequest()
        request.budget = .bytes(20_000)
        let hits = try TraceAdvice(path: path, request: request)
        #expect(hits.size.capacity == .weight(20_000) && hits.distanceToOptimum == nil)
        request.budget = nil
        #expect(try TraceAdvice(path: path, request: request).size.capacity.weightBytes != nil)
    }
}
