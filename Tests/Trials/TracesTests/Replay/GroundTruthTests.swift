import Foundation
import TestTiers
import Testing
import TrialModel

@testable import Traces

/// Miss counts of independent simulators on public traces, which are not part of the repository: the folder that
/// `CACHE_TRIALS_TRACES` names holds them, with `ground-truth.csv`.
@Suite(.timeLimit(.minutes(15)), .enabled(if: GroundTruth.folder != nil, "set CACHE_TRIALS_TRACES to run"))
struct GroundTruthTests {
    // The short traces have all policies; OLTP has the tables of papers.
    @Test(arguments: GroundTruth.traces.filter { TestTier.isNightly || GroundTruth.isShort($0) })
    func `policies with an exact ground truth match it to the last miss`(trace: String) throws {
        for (name, policy) in GroundTruth.exact {
            let rows = GroundTruth.rows.filter { $0.trace == trace && $0.policy == name }
            // The authors' LIRS was not run on every trace.
            #expect(!rows.isEmpty || policy == .lirs, "\(trace) has no truth for \(name)")
            guard !rows.isEmpty else { continue }
            let results = try GroundTruth.replay(trace, policy, rows.map(\.entries))
            for (row, result) in zip(rows, results) {
                #expect(Int(result.counts.requests) == row.requests, "\(trace) \(name)")
                #expect(Int(result.counts.misses) == row.misses, "\(trace) \(name) \(row.entries)")
            }
        }
    }

    @Test(.nightly) func `W-TinyLFU is worse than the adaptive one by at most a point on average`() throws {
        var difference = 0.0
        let rows = GroundTruth.rows.filter { $0.policy == "w-tinylfu_adaptive" }
        for trace in GroundTruth.traces {
            let own = rows.filter { $0.trace == trace }
            let results = try GroundTruth.replay(trace, .wTinyLFU, own.map(\.entries))
            for (row, result) in zip(own, results) {
                difference += Double(Int(result.counts.misses) - row.misses) / Double(row.requests)
            }
        }
        #expect(difference / Double(rows.count) < 0.01)
    }

    @Test func `OLTP under LRU gives the table of the ARC paper`() throws {
        let results = try GroundTruth.replay("OLTP", .lru, [1000, 2000, 5000, 10000, 15000])
        let percent = results.compactMap(\.hitRatio).map { ($0 * 10_000).rounded() / 100 }
        #expect(percent == [32.83, 42.47, 53.65, 60.70, 64.63])
    }

    @Test(.nightly) func `a sample of a tenth is near the ground truth, and reports how near`() throws {
        let path = try #require(GroundTruth.path(of: "P3"))
        let capacities = [ReplayCapacity.share(0.05)]
        let exact = try TraceReplay(policies: [.lru, .arc, .s3FIFO], capacities: capacities).run(path: path).results
        let sampled = try TraceReplay(policies: [.lru, .arc, .s3FIFO], capacities: capacities, sampleRate: 0.1)
            .run(path: path).results
        for (all, some) in zip(exact, sampled) {
            let truth = try #require(all.hitRatio)
            let estimate = try #require(some.hitRatio)
            let error = try #require(some.hitRatioError)
            #expect(all.hitRatioError == nil)
            #expect(abs(truth - estimate) < max(5 * error, 0.01), "\(all.policy): \(truth), \(estimate) ± \(error)")
        }
    }
}

/// The folder of traces and its table.
enum GroundTruth {
    struct Row {
        var trace: String
        var policy: String
        var entries: Int
        var requests: Int
        var misses: Int
    }

    static let folder = ProcessInfo.processInfo.environment["CACHE_TRIALS_TRACES"]

    /// The policy names in the table, and our policies.
    static let exact: [(String, ReplayPolicy)] = [
        ("lru", .lru), ("fifo", .fifo), ("clock", .clock), ("sieve", .sieve), ("lfu", .lfu), ("arc", .arc),
        ("optimal_must_insert", .optimal), ("s3-fifo", .s3FIFO), ("two-queue", .twoQueue), ("lirs", .lirs),
    ]

    static let rows: [Row] = {
        guard let folder, let text = try? String(contentsOfFile: "\(folder)/ground-truth.csv", encoding: .utf8) else {
            return []
        }
        return text.split(whereSeparator: \.isNewline).dropFirst().compactMap { line in
            let fields = line.split(separator: ",", omittingEmptySubsequences: false)
            guard fields.count >= 5, let entries = Int(fields[2]), let requests = Int(fields[3]),
                let misses = Int(fields[4])
            else { return nil }
            return Row(
                trace: String(fields[0]), policy: String(fields[1]), entries: entries, requests: requests,
                misses: misses)
        }
    }()

    static let traces: [String] = Set(rows.map(\.trace)).sorted()

    /// Whether all policies replay a trace in a second or so.
    static func isShort(_ trace: String) -> Bool {
        rows.contains { $0.trace == trace && $0.requests < 20_000 }
    }

    /// The file of a trace, whose name ends with the format and the compression.
    static func path(of trace: String) -> String? {
        guard let folder, let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else { return nil }
        return names.first { $0.hasPrefix(trace + ".") }.map { "\(folder)/\($0)" }
    }

    static func replay(_ trace: String, _ policy: ReplayPolicy, _ sizes: [Int]) throws -> [TraceReplay.Result] {
        let file = try #require(path(of: trace), "no file of \(trace)")
        return try TraceReplay(policies: [policy], capacities: sizes.map { .entries($0) }, jobs: 2)
            .run(path: file).results
    }
}
