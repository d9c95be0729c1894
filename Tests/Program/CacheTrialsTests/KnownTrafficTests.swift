import Foundation
import Testing
import TrialModel

/// Advice for generated traffic whose answer is known, in figures and in words.
@Suite(.timeLimit(.minutes(10)), .serialized)
struct KnownTrafficTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A way to generate requests, and what is known of it.
    enum Traffic: String, CaseIterable, CustomTestStringConvertible {
        case loop, zipf, scans, movingPopularity, tenants, uniform

        var testDescription: String { rawValue }

        /// The size of the cache.
        var budget: String {
            switch self {
            case .loop: "500"
            case .zipf, .uniform: "100"
            case .scans, .movingPopularity: "200"
            case .tenants: "1MiB"
            }
        }

        /// What the advice has to say.
        var words: [String] {
            switch self {
            // A loop's length is told to a quarter of an octave.
            case .loop: ["with 500 entries.", "a loop of about 939 keys in 96.67", "scans 0.00", "drift 0.00"]
            case .zipf: ["with 100 entries.", "Zipf 0.9", "no loop"]
            case .scans: ["with 200 entries.", "scans 40.", "no loop"]
            case .movingPopularity: ["with 200 entries.", "drift 100", "no loop"]
            // Where hits count, none of the large values is worth its place.
            case .tenants: ["Take gdsf with 1.00 MiB.", "1.00 MiB, as given", "no loop"]
            case .uniform: ["No policy matters for these requests: every policy hits 10.0 % with 10.0 % of the keys"]
            }
        }

        /// The columns of a row of the trace.
        func row(_ index: Int, _ random: inout RandomSource, _ sums: [Double]) -> String {
            switch self {
            case .loop: "\(index % 1_000)"
            case .zipf: "\(Self.rank(&random, sums))"
            case .scans: index % 250 < 100 ? "\(100_000 + index)" : "\(Self.rank(&random, sums))"
            case .movingPopularity: "\(Self.rank(&random, sums) + index / 5)"
            case .tenants:
                random.next(below: 10) < 7
                    ? "\(Self.rank(&random, sums)),1024" : "\(100_000 + random.next(below: 500)),262144"
            case .uniform: "\(random.next(below: 1_000))"
            }
        }

        /// A rank of a Zipf law.
        private static func rank(_ random: inout RandomSource, _ sums: [Double]) -> Int {
            let point = random.nextFraction() * (sums.last ?? 0)
            var (low, high) = (0, sums.count - 1)
            while low < high {
                let middle = (low + high) / 2
                if sums[middle] > point { high = middle } else { low = middle + 1 }
            }
            return low
        }

        func text(seed: UInt64) -> String {
            var random = RandomSource(seed: seed, stream: 7)
            let sums = (1...2_000).reduce(into: [Double]()) { $0.append(($0.last ?? 0) + pow(Double($1), -0.9)) }
            let rows = (0..<30_000).map { row($0, &random, sums) + "\n" }
            return (self == .tenants ? "key,size\n" : "key\n") + rows.joined()
        }
    }

    @Test(arguments: Traffic.allCases) func `the advice is what is known of the traffic`(traffic: Traffic) async throws
    {
        let trace = try folder.write(traffic.text(seed: 1), to: "\(traffic).csv")
        let advice = await Program.here("advise", trace, "--budget", traffic.budget)
        #expect(advice.exitCode == (traffic == .uniform ? 1 : 0), "\(advice.errors)")
        for words in traffic.words { #expect(advice.output.contains(words), "\(words)\n\(advice.output)") }
        if traffic != .uniform { try await judge(advice.output, traffic) }
    }

    /// The advised policy is within one point of the best candidate on other requests of the same traffic.
    private func judge(_ output: String, _ traffic: Traffic) async throws {
        let advised = try #require(output.firstMatch(of: #/Take (\S+) with/#)).output.1
        let unseen = try folder.write(traffic.text(seed: 2), to: "unseen.csv")
        let candidates = """
            fifo,lru,clock,sieve,slru,two-queue,s3-fifo,arc,car,clock2q-plus,s4-fifo,w-tinylfu,lirs,gdsf
            """
        let replay = await Program.here(
            "replay", unseen, "--policies", candidates, "--capacities", traffic.budget, "--warm-up", "50%",
            "--output", "\(folder.path)/unseen")
        #expect(replay.exitCode == 0, "\(replay.errors)")
        let ratios = try records(of: "\(folder.path)/unseen/replay.csv").reduce(into: [String: Double]()) {
            $0[$1["policy"] ?? ""] = Double($1["hit_ratio"] ?? "")
        }
        let best = try #require(ratios.values.max())
        #expect(try #require(ratios[String(advised)]) > best - 0.01, "\(advised) of \(ratios)")
        // Only where popularity moves is recency all that matters.
        if traffic != .movingPopularity { #expect(try #require(ratios["lru"]) < best - 0.01, "\(ratios)") }
    }
}
