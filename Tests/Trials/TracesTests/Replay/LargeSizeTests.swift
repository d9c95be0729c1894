import EvictionPolicies
import Foundation
import Testing
import TrialModel

@testable import Traces

/// Sizes beyond 32 bits: none is cut, and their sums never trap.
@Suite(.timeLimit(.minutes(5))) struct LargeSizeTests {
    let folder: TraceFolder

    init() throws { folder = try TraceFolder() }

    private static let gibibyte: UInt64 = 1 << 30

    @Test(
        arguments: [
            (.csv, "key,size\na,4294967295\nb,4294967296\na,9223372036854775807\n", [0xFFFF_FFFF, 1 << 32, .max >> 1]),
            (.tsv, "key\tsize\na\t4294967296\nb\t6442450944\n", [1 << 32, 6 << 30]),
            (.twitter, "0,k,4294967295,4294967295,1,get,0\n1,k,3,5368709120,1,set,0\n", [0x1_FFFF_FFFE, 5 << 30 | 3]),
            (.msr, "1,hm,0,Read,0,8589934592,4\n2,hm,0,Write,4096,512,4\n", [8 << 30, 512]),
        ] as [(TraceFormat, String, [UInt64])])
    func `a size beyond 32 bits is read as it is`(format: TraceFormat, text: String, sizes: [UInt64]) throws {
        #expect(try TraceFolder.requests(folder.write(text, to: "trace"), format).map(\.size) == sizes)
    }

    @Test func `a size beyond 63 bits is refused with the sizes that are allowed`() throws {
        let path = try folder.write("key,size\na,9223372036854775808\n", to: "trace.csv")
        #expect(
            TraceFolder.error(path)?.reason
                == .outOfRange("size", found: "\"9223372036854775808\"", allowed: "0 to 9223372036854775807"))
    }

    @Test func `a disk request of 5 GiB is split into as many blocks`() throws {
        var options = TraceReadingOptions()
        options.blockByteCount = Self.gibibyte
        let path = try folder.write("1,hm,0,Read,1073741824,5368709120,4\n", to: "disk.csv")
        let requests = try TraceFolder.requests(path, .msr, options)
        #expect(requests.map(\.key) == (1...5).map { $0 * Self.gibibyte })
        #expect(requests.allSatisfy { $0.size == Self.gibibyte })
    }

    @Test func `totals over 4 GiB, bytes hit and bytes of all keys are those worked out by hand`() throws {
        // 10 GiB hold a and b; c of 7 GiB evicts both, and a again evicts c.
        let path = try folder.write(
            "key,size\na,5GiB\nb,4GiB\na,5GiB\nc,7GiB\nc,7GiB\na,5GiB\n".replacing("GiB", with: "368709120"),
            to: "trace.csv")
        let sizes = (a: UInt64(5_368_709_120), b: UInt64(4_368_709_120), c: UInt64(7_368_709_120))
        let outcome = try TraceReplay(policies: [.lru], capacities: [.bytes(10 * Self.gibibyte)]).run(path: path)
        let counts = try #require(outcome.results.first?.counts)
        #expect(counts.requests == 6 && counts.hits == 2)
        #expect(counts.bytesHit == sizes.a + sizes.c)
        #expect(counts.bytesRequested == 3 * sizes.a + sizes.b + 2 * sizes.c)
        #expect(outcome.summary.uniqueBytes == sizes.a + sizes.b + sizes.c)
        #expect(try TraceDescription(path: path).summary.uniqueBytes == sizes.a + sizes.b + sizes.c)
    }

    /// A trace of values from 1 to 99 units, of one size for each key.
    private func trace(unit: UInt64) throws -> String {
        var random = RandomSource(seed: 6, stream: 1)
        let rows = (0..<8_000).map { _ in
            let key = random.next(below: 1 + random.next(below: 600))
            return "\(key),\((1 + key * 37 % 99) * unit)\n"
        }
        return try folder.write("key,size\n" + rows.joined(), to: "trace-\(unit).csv")
    }

    /// With units that are powers of two, and large enough for shares of a capacity, no rounding differs.
    @Test func `every policy and bound hits as often as with sizes and a capacity that are 8,192 times smaller`() throws
    {
        let policies = ReplayPolicy.all.filter { $0 != .optimal }
        func hits(_ unit: UInt64) throws -> [String] {
            try TraceReplay(policies: policies, capacities: [.bytes(1_000 * unit), .bytes(8_000 * unit)])
                .run(path: trace(unit: unit)).results.map { "\($0.policy.name) \($0.counts.hits)" }
        }
        #expect(try hits(1 << 33) == hits(1 << 20))
    }

    @Test(arguments: ["lru", "adapt-size+lru", "size-probability+arc", "tinylfu+lru"])
    func `an admission does not refuse an object because its size has more than 32 bits`(policy: String) throws {
        let path = try folder.write("key,size\n" + String(repeating: "a,8589934592\n", count: 400), to: "trace.csv")
        // The probability of an admission with c = 2^33 is 1/e.
        let name = policy.replacing("size-probability", with: "size-probability(c=8589934592)")
        let results = try TraceReplay(policies: ReplayPolicy.parse(name), capacities: [.bytes(16 << 30)])
            .run(path: path).results
        #expect(results[0].counts.hits > 370)
    }

    @Test(arguments: [
        "a,9223372036854775807\nb,1\n", "a,9223372036854775807\na,9223372036854775807\na,9223372036854775807\n",
        "a,4611686018427387904\nb,4611686018427387904\nc,1\n",
    ])
    func `more than 2^63 - 1 bytes in all requests are refused by every verb that adds them`(rows: String) throws {
        let path = try folder.write("key,size\n" + rows, to: "trace.csv")
        let reason = TraceError.Reason.tooMany("bytes in all requests together", limit: .max)
        let replay = TraceReplay(policies: ReplayPolicy.all.filter { $0 != .optimal }, capacities: [.bytes(1 << 50)])
        #expect(#expect(throws: TraceError.self) { try replay.run(path: path) }?.reason == reason)
        #expect(#expect(throws: TraceError.self) { try TraceDescription(path: path) }?.reason == reason)
        #expect(
            #expect(throws: TraceError.self) { try TraceAdvice(path: path, request: AdviceRequest()) }?.reason == reason
        )
    }

    @Test func `reads that take a written size are refused as well once they add up to too much`() throws {
        let text = "key,size,operation\na,4611686018427387904,set\n" + String(repeating: "a,0,get\n", count: 3)
        let path = try folder.write(text, to: "trace.csv")
        let reason = TraceError.Reason.tooMany("bytes in all requests together", limit: .max)
        let replay = TraceReplay(policies: [.lru], capacities: [.entries(1)])
        #expect(#expect(throws: TraceError.self) { try replay.run(path: path) }?.reason == reason)
        #expect(
            #expect(throws: TraceError.self) { try TraceAdvice(path: path, request: AdviceRequest()) }?.reason == reason
        )
    }

    @Test func `2^63 - 1 bytes are counted, by every policy, as a description and as a sample`() throws {
        let text = "key,size\na,9223372036854775000\n" + (0..<807).map { "\($0),1\n" }.joined()
        let path = try folder.write(text, to: "trace.csv")
        let policies = ReplayPolicy.all.filter { $0 != .optimal }
        for capacity in [ReplayCapacity.bytes(1 << 50), .entries(9)] {
            for result in try TraceReplay(policies: policies, capacities: [capacity]).run(path: path).results {
                #expect(result.counts.bytesRequested == UInt64(Int64.max), "\(result.policy.name)")
            }
        }
        #expect(try TraceDescription(path: path).summary.uniqueBytes == UInt64(Int64.max))
        let sampled = TraceReplay(policies: [.lru], capacities: [.bytes(1 << 50)], sampleRate: 0.5)
        #expect(try sampled.run(path: path).results.count == 1)
        _ = try TraceAdvice(path: path, request: AdviceRequest())
    }

    @Test func `a size beyond 32 bits is refused for oracleGeneral, and written as CSV`() throws {
        let trace = try NumberedTrace(path: folder.write("key,size\n7,4294967296\n", to: "trace.csv"))
        let error = #expect(throws: TraceError.self) {
            try TraceWriter.write(trace, path: folder.path("trace.bin"), format: .oracleGeneral)
        }
        #expect(
            error?.reason
                == .outOfRange(
                    "size", found: "4294967296", allowed: "0 to 4294967295 in oracleGeneral; csv has larger sizes"))
        try TraceWriter.write(trace, path: folder.path("copy.csv"), format: .csv)
        #expect(try TraceFolder.requests(folder.path("copy.csv")).map(\.size) == [1 << 32])
    }
}
