import Foundation
import Reports
import Testing
import TrialModel

/// `compare` as a user runs it, over folders with made-up figures.
@Suite(.timeLimit(.minutes(5)))
struct CompareCommandTests {
    let folder: TemporaryFolder
    let baseline: String

    init() throws {
        folder = try TemporaryFolder()
        baseline = try MadeRun().write(to: "\(folder.path)/baseline")
    }

    private func made(_ change: (inout MadeRun) -> Void) throws -> String {
        var run = MadeRun()
        change(&run)
        return try run.write(to: "\(folder.path)/candidate")
    }

    @Test func `an unchanged run exits with 0`() async throws {
        let ending = await Program.here("compare", baseline, try made { _ in })
        #expect(ending.exitCode == 0, "\(ending.errors)")
        #expect(ending.errors.contains("6 values: 0 worse, 0 better, 6 same, 0 inconclusive"))
        #expect(ending.errors.contains("no baseline strategy ran in both"))
    }

    @Test func `a slower one exits with 1 and names the figures`() async throws {
        let ending = await Program.here("compare", baseline, try made { $0.slowdown = 1.3 })
        #expect(ending.exitCode == 1)
        #expect(ending.errors.contains("error: worse: 4 of 6 values worse: lru in steady, main: throughput −23"))
        #expect(ending.output.contains("+30.0%"))
    }

    @Test func `--fail-on never only reports`() async throws {
        let ending = await Program.here("compare", baseline, try made { $0.slowdown = 1.3 }, "--fail-on", "never")
        #expect(ending.exitCode == 0, "\(ending.errors)")
        #expect(ending.errors.contains("4 worse"))
    }

    @Test func `--max-regression allows a figure to become that much worse`() async throws {
        let candidate = try made { $0.slowdown = 1.3 }
        let limits = ["throughput=40%", "p50=40%", "p99=40%", "p99_9=40%"].flatMap { ["--max-regression", $0] }
        let lenient = await Program.here(["compare", baseline, candidate] + limits)
        #expect(lenient.exitCode == 0, "\(lenient.errors)")
        let strict = await Program.here("compare", baseline, candidate, "--max-regression", "p99=20%")
        #expect(strict.exitCode == 1)
    }

    // The limit was a share of the candidate: 50 % failed from a loss of 33.3 % on.
    @Test(arguments: [("35%", Int32(1)), ("40%", 0)])
    func `a limit of lost throughput is a share of the baseline`(limit: String, code: Int32) async throws {
        let ending = await Program.here(
            "compare", baseline, try made { $0.slowdown = 1.6 }, "--metrics", "throughput", "--max-regression",
            "throughput=\(limit)")
        #expect(ending.errors.contains("throughput −37.5%") == (code == 1), "\(ending.errors)")
        #expect(ending.exitCode == code)
    }

    @Test func `noise is inconclusive and fails only on request`() async throws {
        let candidate = try made { run in
            run.slowdown = 1.1
            run.spread = 0.4
        }
        let ending = await Program.here("compare", baseline, candidate, "--metrics", "p50,p99")
        #expect(ending.exitCode == 0, "\(ending.errors)")
        #expect(ending.errors.contains("0 worse, 0 better, 0 same, 2 inconclusive"))
        let asked = await Program.here("compare", baseline, candidate, "--fail-on", "inconclusive")
        #expect(asked.exitCode == 1)
    }

    @Test func `a comparison that passes with open figures says so in its last line`() async throws {
        let noisy = try made { run in
            run.slowdown = 1.1
            run.spread = 0.4
        }
        let open = await Program.here("compare", baseline, noisy, "--metrics", "p50,p99")
        #expect(open.errors.hasSuffix("with 2 of 2 values inconclusive; --fail-on inconclusive fails on them.\n"))
        let failed = await Program.here("compare", baseline, noisy, "--fail-on", "inconclusive")
        #expect(!failed.errors.contains("Passed"))
        let closed = await Program.here("compare", baseline, baseline)
        #expect(!closed.errors.contains("Passed"))
    }

    @Test func `formats of other programs hold the candidate's figures`() async throws {
        let slow = try made { $0.slowdown = 1.3 }
        func output(_ format: String) async -> String {
            await Program.here("compare", baseline, slow, "--metrics", "p50,throughput", "--format", format).output
        }
        let comment = await output("github")
        #expect(comment.hasPrefix("### Cache trials: 2 values: 2 worse, 0 better, 0 same, 0 inconclusive\n"))
        #expect(comment.contains("- worse: 2 of 2 values worse"))
        let smaller = await output("github-benchmark")
        #expect(smaller.contains("\"name\" : \"steady/lru/main/p50\"") && smaller.contains("\"extra\" : \"worse\""))
        #expect(!smaller.contains("throughput"))
        #expect(await output("github-benchmark-bigger").contains("steady/lru/main/throughput"))
        let bencher = try JSONDecoder().decode(
            [String: [String: [String: Double]]].self, from: Data(await output("bencher").utf8))
        #expect(bencher.keys.sorted() == ["steady/lru/main"])
        #expect(bencher["steady/lru/main"]?.keys.sorted() == ["latency", "throughput"])
    }

    @Test func `other machines, scenarios and seeds are refused, and named`() async throws {
        let candidate = try made { run in
            run.cpu = "Xeon"
            run.sha256 = "bb"
            run.seed = 2
        }
        let ending = await Program.here("compare", baseline, candidate)
        #expect(ending.exitCode == 65)
        #expect(ending.errors.contains("  processor: EPYC in the baseline, Xeon in the candidate\n"))
        #expect(ending.errors.contains("  steady: the scenario file has changed\n"))
        #expect(ending.errors.contains("--allow-different machine,scenario,seed\n"))
        let part = await Program.here("compare", baseline, candidate, "--allow-different", "machine,seed")
        #expect(part.exitCode == 65)
        #expect(part.errors.contains("--allow-different scenario\n"))
        let allowed = await Program.here(
            "compare", baseline, candidate, "--allow-different", "machine,seed,scenario")
        #expect(allowed.exitCode == 0, "\(allowed.errors)")
        #expect(allowed.errors.contains("warning: allowed to differ: processor"))
    }

    @Test func `a candidate that lost a strategy fails the gate`() async throws {
        let both = try MadeRun(strategies: ["lru", "actor"]).write(to: "\(folder.path)/both")
        let ending = await Program.here("compare", both, try made { _ in })
        #expect(ending.exitCode == 1)
        #expect(
            ending.errors.contains("error: measured: the candidate has no values where the baseline has: actor in"))
        let named = await Program.here("compare", both, "\(folder.path)/candidate", "--strategies", "lru")
        #expect(named.exitCode == 0, "\(named.errors)")
    }

    // All was refused because of one new key.
    @Test func `a scenario whose file has changed is left out and named, and the others are compared`() async throws {
        let before = try MadeRun(others: ["burst": "bb"]).write(to: "\(folder.path)/before")
        let candidate = try made { run in
            run.others = ["burst": "cc"]
            run.slowdown = 1.3
        }
        let ending = await Program.here("compare", before, candidate, "--format", "github")
        #expect(ending.exitCode == 1, "\(ending.errors)")
        let line = "burst: the scenario file has changed; --allow-different scenario compares it anyway"
        #expect(ending.errors.contains("note: \(line)\n"))
        #expect(ending.output.contains("Not compared:\n\n- \(line)\n"))
        #expect(ending.output.contains("| steady |") && !ending.output.contains("| burst |"))
        let allowed = await Program.here(
            "compare", before, candidate, "--allow-different", "scenario", "--format", "github")
        #expect(allowed.output.contains("| burst |"))
    }

    @Test func `what the baseline lacks is named, and the rest is compared`() async throws {
        let candidate = try made { run in
            run.strategies = ["lru", "actor"]
            run.others = ["burst": "bb"]
        }
        let ending = await Program.here("compare", baseline, candidate, "--format", "github")
        #expect(ending.exitCode == 0, "\(ending.errors)")
        #expect(ending.errors.contains("6 values: 0 worse"))
        #expect(
            ending.output.contains(
                "Not compared:\n\n- actor in steady, main: only in the candidate\n- lru in burst, main: only in the candidate\n"
            ))
    }

    @Test func `a truncated file is named`() async throws {
        let candidate = try made { _ in }
        let path = "\(candidate)/latency.csv"
        let text = try String(contentsOfFile: path, encoding: .utf8)
        try String(text.prefix(text.count * 6 / 10)).write(toFile: path, atomically: true, encoding: .utf8)
        let ending = await Program.here("compare", baseline, candidate)
        #expect(ending.errors.contains("latency.csv: its end is cut off"))
        #expect(ending.errors.contains("phases have no latencies, the first is lru in steady, main, repetition"))
    }

    @Test func `names that neither run has, and shares without per cent, are refused`() async throws {
        let candidate = try made { _ in }
        let typo = await Program.here("compare", baseline, candidate, "--strategies", "lur")
        #expect(typo.exitCode == 65)
        #expect(typo.errors.contains("no results of 'lur'; did you mean 'lru'?"))
        let share = await Program.here("compare", baseline, candidate, "--max-regression", "p99=10")
        #expect(share.exitCode == 64)
        #expect(share.errors.contains("such as 10%"))
    }

    @Test func `a partial folder is named`() async throws {
        let ending = await Program.here("compare", baseline, try made { $0.isPartial = true })
        #expect(ending.errors.contains("candidate is partial"))
    }

    @Test func `published strategies, controls and bounds never fail the gate`() async throws {
        let names = ["published-disk", "unsynchronized", "none"]
        let before = try MadeRun(strategies: names).write(to: "\(folder.path)/before")
        let after = try MadeRun(strategies: names, slowdown: 2).write(to: "\(folder.path)/after")
        let ending = await Program.here("compare", before, after)
        #expect(ending.exitCode == 0, "\(ending.errors)")
        #expect(ending.output.contains("none (baseline)"))
    }

    @Test func `runs with nothing in common are harness trouble, not a pass`() async throws {
        let ending = await Program.here("compare", baseline, try made { $0.strategies = ["actor"] })
        #expect(ending.exitCode == 2)
        #expect(ending.errors.contains("note: actor in steady, main: only in the candidate"))
    }

    @Test func `strategies of one run are compared with one of them`() async throws {
        let run = try MadeRun(strategies: ["lru", "actor"]).write(to: "\(folder.path)/run")
        let ending = await Program.here(
            "compare", "--within", run, "--baseline-strategy", "lru", "--format", "csv")
        #expect(ending.exitCode == 0, "\(ending.errors)")
        let lines = ending.output.split(whereSeparator: \.isNewline)
        #expect(lines.count == 7)
        #expect(lines.dropFirst().allSatisfy { $0.hasPrefix("steady,actor,main,") && $0.contains(",same,") })
        let other = await Program.here("compare", "--within", run, "--baseline-strategy", "disk")
        #expect(other.exitCode == 65)
    }

    @Test func `the folder of a comparison has every format, with hostile names harmless`() async throws {
        let names = ["=cmd|' /C calc'!A0", "a,\"b\"", "<script>alert(1)</script>"]
        let before = try MadeRun(strategies: names).write(to: "\(folder.path)/before")
        let after = try MadeRun(strategies: names, slowdown: 1.3).write(to: "\(folder.path)/after")
        let output = "\(folder.path)/comparison"
        let ending = await Program.here(
            "compare", before, after, "--output", output, "--format", "markdown", "--all")
        #expect(ending.exitCode == 1)
        #expect(!ending.output.contains("<script>"))
        #expect(
            try ResultFolder.rows(of: ComparisonRow.self, at: output).map(\.strategy).filter { $0 == names[1] }.count
                == 6)
        let verdict = try ResultFolder.readVerdict(at: output)
        #expect(!verdict.passed && verdict.exitCode == 1)
        let junit = try String(contentsOfFile: "\(output)/junit.xml", encoding: .utf8)
        #expect(junit.contains("&lt;script&gt;") && junit.contains("failures=\"13\""))
        let page = try String(contentsOfFile: "\(output)/comparison.html", encoding: .utf8)
        #expect(page.contains("&lt;script&gt;alert(1)") && !page.contains("<script>alert"))
        for name in ["benchmark-smaller.json", "benchmark-bigger.json"] {
            let data = try Data(contentsOf: URL(fileURLWithPath: "\(output)/\(name)"))
            let list = try #require(try JSONSerialization.jsonObject(with: data) as? [[String: Any]])
            #expect(list.count == 9)
        }
        let again = await Program.here("compare", before, after, "--output", output)
        #expect(again.exitCode == 2)
    }

    @Test(arguments: [
        ["compare"], ["compare", "one"], ["compare", "one", "two", "--fail-on", "bad"],
        ["compare", "one", "two", "--metrics", "speed"], ["compare", "one", "two", "--max-regression", "p99"],
        ["compare", "one", "two", "--max-regression", "throughput=100%"],
        ["compare", "--within", "one"], ["compare", "one", "two", "--baseline-strategy", "lru"],
        ["compare", "one", "two", "--allow-different", "weather"],
    ])
    func `wrong usage exits with 64`(arguments: [String]) async throws {
        #expect(await Program.here(arguments).exitCode == 64)
    }

    @Test func `a folder without results exits with 65`() async throws {
        #expect(await Program.here("compare", baseline, folder.path).exitCode == 65)
    }
}
