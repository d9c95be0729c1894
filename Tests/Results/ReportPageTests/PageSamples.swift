import Foundation
import Measurement
import Reports
import TrialModel

@testable import ReportPage

/// Results that tests of several files use.
enum PageSamples {
    static let hostileNames = ["a,b", "\"quoted\"", "<script>alert(1)</script>", "=cmd|' /C calc'!A0", "x\"onload=\"y"]

    /// A phase of 1,000 loads whose latencies are 1, 2, 3 … µs.
    static func phase(
        _ strategy: String, scenario: ScenarioPoint = "steady", repetition: Int = 1, name: String = "main",
        status: TrialStatus = .completed
    ) -> PhaseResult {
        let key = RowKey(
            trial: TrialIdentity(scenario: scenario, strategy: strategy, repetition: repetition), phase: name)
        var histogram = LatencyHistogram()
        for index in 1...1_000 { histogram.record(UInt64(index * 1_000 * repetition)) }
        var trial = TrialRow(
            key: key, driver: .threads, status: status, reason: status == .completed ? "" : "it was <stopped>",
            operations: 1_000, elapsedNanoseconds: 1_000_000_000, wrongAnswers: 0)
        guard status == .completed else {
            trial.operations = nil
            return PhaseResult(trial: trial)
        }
        var result = PhaseResult(trial: trial, timeline: timeline(key))
        result.latency = [
            LatencyRow(
                key: key, labels: LatencyLabels(operation: .only(.load)), count: 1_000, throughputPerSecond: 1_000,
                latency: histogram.summary())
        ]
        result.hitRate = HitRateRow(key: key, capacity: Capacity(entries: 50), lookups: 1_000, hits: 700, misses: 300)
            .with {
                ($0.bytesLookedUp, $0.bytesHit, $0.optimalHitRatio) = (10, 7, 0.8)
                ($0.originLoads, $0.duplicateLoads) = (300, 7)
            }
        result.memory = MemoryRow(key: key).with {
            ($0.residentBytesPeak, $0.bytesPerEntry) = (12_345_678, 96.5)
        }
        result.distributions = [
            EncodedDistribution(
                labels: LatencyLabels(operation: .only(.load)),
                longestNanoseconds: UInt64(1_000_000 * repetition), encoded: histogram.encoded())
        ]
        result.startSeconds = 1_700_000_000
        return result
    }

    private static func timeline(_ key: RowKey) -> [TimelineRow] {
        (0..<5).map { (index: UInt64) -> TimelineRow in
            TimelineRow(key: key).with {
                ($0.elapsedMilliseconds, $0.operation) = (index * 200, .all)
                ($0.count, $0.hits, $0.misses, $0.p50, $0.p99) = (200, 100 + 20 * index, 100 - 20 * index, 500, 900)
            }
        }
    }

    /// A page of phases, with their distributions.
    static func content(_ results: [PhaseResult], isPartial: Bool = false) -> ReportContent {
        var content = ReportContent()
        content.results = results
        for result in results { content.distributions[result.trial.key] = result.distributions }
        content.sources = [ReportContent.Source(path: "Results/x", run: run(isPartial: isPartial))]
        return content
    }

    static func run(isPartial: Bool = false) -> RunDescription {
        RunDescription().with {
            ($0.toolVersion, $0.buildConfiguration, $0.partial) = ("1.2.3", "release", isPartial)
            $0.commandLine = ["cache-trials", "run", "<b>"]
            ($0.host.name, $0.host.cpu, $0.host.cores) = ("<host>", "CPU & co", 2)
            ($0.host.kernel, $0.host.operatingSystem, $0.swiftVersion) = ("Linux", "Debian", "6.3")
        }
    }

    static func replay(_ policy: String, _ size: Int, hits: UInt64) -> ReplayRow {
        ReplayRow().with {
            ($0.trace, $0.policy, $0.capacity) = ("t.keys", policy, Capacity(entries: size))
            ($0.requests, $0.hits, $0.misses, $0.hitRatio) = (1_000, hits, 1_000 - hits, Double(hits) / 1_000)
            $0.requestsPerSecond = 5e6
        }
    }

    /// Everything that a page can show, in one page.
    static func everything() -> ReportContent {
        var results: [PhaseResult] = []
        for scenario: ScenarioPoint in ["steady", "<b>scan</b>"] {
            for repetition in 1...2 {
                for strategy in ["lru", "arc", "none"] + hostileNames {
                    results.append(phase(strategy, scenario: scenario, repetition: repetition))
                    results.append(phase(strategy, scenario: scenario, repetition: repetition, name: "<i>after"))
                }
            }
        }
        var content = content(results, isPartial: true)
        content.races = [
            RaceRow().with { ($0.scenario, $0.strategy, $0.verdict, $0.runs) = ("steady", "lru", .clean, 3) },
            RaceRow().with {
                ($0.scenario, $0.strategy, $0.verdict, $0.runs) = ("steady", hostileNames[2], .racy, 3)
                $0.runsFlagged = 2
                ($0.races, $0.firstLocation) = (1, "<a>.swift:1")
            },
        ]
        content.controls = [
            ControlRow().with {
                ($0.control, $0.kind, $0.isCaught, $0.runs, $0.runsFlagged) = ("x", .racy, true, 1, 1)
            }
        ]
        for (index, size) in [10, 100, 1_000].enumerated() {
            content.replay.append(replay("lru", size, hits: UInt64(200 * (index + 1))))
            content.replay.append(replay(hostileNames[0], size, hits: UInt64(300 * (index + 1))))
        }
        content.comparisons = [ComparisonVerdict.worse, .same].map { verdict in
            var row = ComparisonRow(
                scenario: "steady", strategy: hostileNames[3], phase: "<p>", metric: "p99", unit: "ns", baseline: 1_000,
                candidate: 1_200, verdict: verdict)
            (row.ratio, row.ratioLow, row.ratioHigh) = (1.2, 1.1, 1.3)
            return row
        }
        var points = ComparisonRow(
            scenario: "steady", strategy: "lru", phase: "main", metric: "hit_ratio", baseline: 0.5, candidate: 0.48,
            verdict: .worse)
        (points.difference, points.differenceLow, points.differenceHigh) = (-0.02, -0.03, -0.01)
        content.comparisons.append(points)
        return content
    }
}

/// A folder that is removed with its last owner.
final class PageFolder: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("page-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func path(_ name: String) -> String { "\(path)/\(name)" }

    /// A result folder with the rows.
    func results(_ rows: [PhaseResult]) throws -> String {
        let folder = try ResultFolder.create(at: path("results"))
        for row in rows { try folder.append([row]) }
        return path("results")
    }
}
