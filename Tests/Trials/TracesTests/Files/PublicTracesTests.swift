import Foundation
import TestTiers
import Testing
import TrialModel

@testable import Traces

/// Published traces, in the folder that `CACHE_TRIALS_TRACES` names; none is part of this repository.
@Suite(
    .timeLimit(.minutes(5)),
    .enabled(if: PublicTraces.folder != nil, "CACHE_TRIALS_TRACES names no folder with the public traces"))
struct PublicTracesTests {
    @Test(arguments: PublicTraces.all.filter { TestTier.isNightly || $0.requestCount < 200_000 })
    func `a public trace has its requests and keys`(trace: PublicTrace) throws {
        let read = try NumberedTrace(path: trace.path, format: trace.format)
        #expect(read.count == trace.requestCount)
        #expect(read.keys.count == trace.keyCount)
        #expect(read.ids.max() == UInt32(trace.keyCount - 1))
    }

    @Test(arguments: PublicTraces.all) func `a public trace is found by name and content`(trace: PublicTrace) throws {
        #expect(try TraceReader.detect(path: trace.path) == trace.format)
    }

    @Test(arguments: PublicTraces.all) func `a public trace is found by content alone`(trace: PublicTrace) throws {
        let folder = try TraceFolder()
        let path = folder.path("trace")
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: trace.path)
        #expect(try TraceReader.detect(path: path) == trace.format)
    }

    @Test func `the writer's next requests are those of libCacheSim`() throws {
        let trace = try #require(PublicTraces.all.first { $0.format == .oracleGeneral })
        let folder = try TraceFolder()
        try TraceWriter.write(NumberedTrace(path: trace.path), path: folder.path("out"), format: .oracleGeneral)
        #expect(try folder.bytes(of: "out") == [UInt8](Data(contentsOf: URL(fileURLWithPath: trace.path))))
    }
}

struct PublicTrace: Sendable, CustomTestStringConvertible {
    let name: String
    let format: TraceFormat
    let requestCount: Int
    let keyCount: Int

    var path: String { "\(PublicTraces.folder ?? "")/\(name)" }
    var testDescription: String { name }
}

enum PublicTraces {
    static let folder = ProcessInfo.processInfo.environment["CACHE_TRIALS_TRACES"]

    static let all = [
        PublicTrace(name: "OLTP.lis.zst", format: .arc, requestCount: 914_145, keyCount: 186_880),
        PublicTrace(name: "P3.lis.zst", format: .arc, requestCount: 3_912_296, keyCount: 762_543),
        PublicTrace(name: "2_pools.lirs.gz", format: .lirs, requestCount: 100_000, keyCount: 9939),
        PublicTrace(name: "cpp.lirs.gz", format: .lirs, requestCount: 9047, keyCount: 1223),
        PublicTrace(name: "cs.lirs.gz", format: .lirs, requestCount: 6781, keyCount: 1409),
        PublicTrace(name: "gli.lirs.gz", format: .lirs, requestCount: 6015, keyCount: 2529),
        PublicTrace(name: "loop.lirs.gz", format: .lirs, requestCount: 505_500, keyCount: 1011),
        PublicTrace(name: "multi1.lirs.gz", format: .lirs, requestCount: 15_858, keyCount: 2606),
        PublicTrace(name: "multi2.lirs.gz", format: .lirs, requestCount: 26_311, keyCount: 5684),
        PublicTrace(name: "ps.lirs.gz", format: .lirs, requestCount: 10_448, keyCount: 3083),
        PublicTrace(name: "sprite.lirs.gz", format: .lirs, requestCount: 133_996, keyCount: 7075),
        PublicTrace(name: "web12.cache2k.xz", format: .cache2k, requestCount: 95_607, keyCount: 13_756),
        PublicTrace(
            name: "cloudPhysicsIO.oracleGeneral.bin", format: .oracleGeneral, requestCount: 113_872, keyCount: 48_974),
        PublicTrace(name: "ibm_docker.keys.zst", format: .keys, requestCount: 725_242, keyCount: 121_314),
    ]
}
