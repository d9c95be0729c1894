import Foundation
import Reports
import Testing
import TrialModel

/// `compare --thresholds` as a user runs it, over folders with made-up figures.
@Suite(.timeLimit(.minutes(1)))
struct ThresholdTests {
    private let folder: TemporaryFolder
    private var file: String { "\(folder.path)/thresholds.csv" }

    init() throws { folder = try TemporaryFolder() }

    private func made(_ name: String, _ change: (inout MadeRun) -> Void = { _ in }) throws -> String {
        var run = MadeRun(strategies: ["lru", "sieve"])
        run.exactPhases = ["main"]
        change(&run)
        return try run.write(to: "\(folder.path)/\(name)")
    }

    private func text() throws -> String { try String(contentsOfFile: file, encoding: .utf8) }

    @discardableResult
    private func write(_ run: String) async -> Program.Ending {
        await Program.here("compare", run, "--write-thresholds", file)
    }

    private func judge(_ run: String, _ options: String...) async -> Program.Ending {
        await Program.here(["compare", run, "--thresholds", file] + options)
    }

    @Test func `the figures of a run are within their own thresholds, on a slower machine as well`() async throws {
        #expect(await write(try made("one")).exitCode == 0)
        #expect(
            try text() == """
                scenario,strategy,phase,metric,value
                steady,lru,main,byte_hit_ratio,0.9
                steady,lru,main,hit_ratio,0.9
                steady,sieve,main,byte_hit_ratio,0.9
                steady,sieve,main,hit_ratio,0.9

                """)
        let ending = await judge(
            try made("two") {
                $0.slowdown = 3
                $0.cpu = "Xeon"
            })
        #expect(ending.exitCode == 0, "\(ending.errors)")
        #expect(ending.errors.contains("4 values: 0 worse, 0 better, 4 same"))
    }

    @Test func `a change says which line to edit`() async throws {
        await write(try made("one"))
        let worse = await judge(try made("worse") { $0.hits = 850 })
        #expect(worse.exitCode == 1)
        #expect(worse.errors.contains("note: \(file):3: if that is meant, write 0.85\n"))
        let better = await judge(try made("better") { $0.hits = 950 })
        #expect(better.exitCode == 0)
        #expect(better.errors.contains("note: \(file):5: to keep the gain, write 0.95\n"))
    }

    @Test func `a strategy that is gone fails, and one that is new is noted`() async throws {
        await write(try made("one"))
        let gone = await judge(try made("gone") { $0.strategies = ["lru"] })
        #expect(gone.exitCode == 1)
        #expect(gone.errors.contains("sieve in steady, main: hit_ratio (\(file):5)"))
        let named = await judge("\(folder.path)/gone", "--strategies", "lru")
        #expect(named.exitCode == 0, "\(named.errors)")
        let new = await judge(try made("new") { $0.strategies = ["lru", "sieve", "actor"] })
        #expect(new.exitCode == 0)
        #expect(new.errors.contains("2 values have no line in \(file); --write-thresholds adds them"))
    }

    // "4 lines are about what did not run", and it passed.
    @Test func `a scenario in which every strategy crashed fails, and one that did not run is noted`() async throws {
        await write(try made("both") { $0.others = ["burst": "bb"] })
        let crashed = await judge(
            try made("crashed") {
                $0.others = ["burst": "bb"]
                $0.crashed = ["burst"]
            })
        #expect(crashed.exitCode == 1, "\(crashed.errors)")
        #expect(crashed.errors.contains("lru in burst, main: hit_ratio (\(file):3)"), "\(crashed.errors)")
        let other = await judge(try made("steady"))
        #expect(other.exitCode == 0, "\(other.errors)")
        #expect(other.errors.contains("4 lines of \(file) are about what did not run"))
    }

    // The file has six decimals.
    @Test func `a run passes its own thresholds without any tolerance`() async throws {
        let run = try made("one") { $0.lookups = 2_999 }
        await write(run)
        #expect(try text().contains("hit_ratio,0.3001\n"))
        let ending = await judge(run, "--smallest-difference", "hit_ratio=0%")
        #expect(ending.exitCode == 0 && ending.errors.contains("4 same"), "\(ending.errors)")
    }

    @Test(arguments: ["--smoke", "--seed 7"])
    func `a run of other operations than the scenario's is neither judged nor written`(option: String) async throws {
        await write(try made("one"))
        let before = try text()
        let run = try made("two") {
            $0.hits = 800
            $0.describe = { option == "--smoke" ? ($0.smoke = true) : ($0.seed = 7) }
        }
        for ending in [await judge(run), await write(run)] {
            #expect(ending.exitCode == 65)
            #expect(ending.errors.contains("\(run) was run with \(option), "), "\(ending.errors)")
            #expect(ending.errors.contains("run it without \(option)\n"))
        }
        #expect(try text() == before)
    }

    // A hit ratio of 20,000 operations was compared with one of all: better by 9 points.
    @Test func `a run that counts instructions is not judged by the figures of one that does not`() async throws {
        let timed = try made("timed")
        let counted = try made("counted") {
            $0.instructions = 900
            $0.describe = { $0.counted = true }
        }
        for (one, other, verb) in [(timed, counted, "run"), (counted, timed, "count")] {
            try? FileManager.default.removeItem(atPath: file)
            await write(one)
            #expect(await judge(one).exitCode == 0)
            let ending = await judge(other)
            #expect(ending.exitCode == 65)
            #expect(ending.errors.contains("main are of `\(verb)`, and this is a run of "), "\(ending.errors)")
        }
        let folders = await Program.here("compare", timed, counted)
        #expect(folders.exitCode == 65)
        #expect(folders.errors.contains("instructions counted in place of time: no in the baseline, yes"))
    }

    @Test func `writing keeps the lines of what did not run`() async throws {
        await write(try made("one"))
        await write(
            try made("two") {
                $0.strategies = ["sieve", "actor"]
                $0.hits = 800
            })
        let lines = try text().split(separator: "\n")
        #expect(lines.count == 7)
        #expect(lines.contains("steady,lru,main,hit_ratio,0.9") && lines.contains("steady,sieve,main,hit_ratio,0.8"))
    }

    @Test func `a strategy that works in the background has no exact figure`() async throws {
        await write(
            try made("one") {
                $0.strategies = ["lru", "barrier-nscache"]
                $0.backgroundStrategies = ["barrier-nscache"]
            })
        #expect(try text().contains(",lru,") && !text().contains("barrier"))
    }

    @Test func `a run without exact phases has nothing to write or to judge`() async throws {
        let vague = try made("vague") { $0.exactPhases = [] }
        let written = await write(vague)
        #expect(written.exitCode == 65 && written.errors.contains("no value that is the same on every machine"))
        #expect(!FileManager.default.fileExists(atPath: file))
        await write(try made("one"))
        let judged = await judge(vague)
        #expect(judged.exitCode == 1, "\(judged.errors)")
        #expect(judged.errors.contains("error: measured: the candidate has no values where the baseline has: lru in"))
    }

    @Test(arguments: [
        ("scenario,strategy\n", 1), ("H\nsteady,lru,main,hit_ratio\n", 2), ("H\nsteady,lru,main,p99,3\n", 2),
        ("H\na,b,c,hit_ratio,0.1\nsteady,lru,main,hit_ratio,1e400\n", 3), ("H\nsteady,lru,main,hit_ratio,-1\n", 2),
        ("H\nsteady,lru,main,hit_ratio,nan\n", 2), ("H\na,b,c,hit_ratio,1\na,b,c,hit_ratio,1\n", 3), ("", 1),
        ("H\n\"a,b", 2),
    ])
    func `a damaged file is named with its line, and is not changed`(text: String, line: Int) async throws {
        let damaged = text.replacing("H\n", with: "scenario,strategy,phase,metric,value\n")
        try damaged.write(toFile: file, atomically: true, encoding: .utf8)
        let run = try made("one")
        for ending in [await judge(run), await write(run)] {
            #expect(ending.exitCode == 65)
            #expect(ending.errors.contains("\(file):\(line): "), "\(ending.errors)")
        }
        #expect(try self.text() == damaged)
    }

    @Test func `a missing file says how to make one`() async throws {
        let ending = await judge(try made("one"))
        #expect(ending.exitCode == 65)
        #expect(ending.errors.contains("--write-thresholds \(file) makes one"))
    }

    @Test func `what can't go together is refused`() async throws {
        let run = try made("one")
        for arguments in [
            [run, run, "--thresholds", file], [run, "--thresholds", file, "--write-thresholds", file],
            [run, "--thresholds", file, "--paired"], ["--within", run, "--thresholds", file],
            ["--live", "a", "b", "c", "--thresholds", file],
        ] {
            let ending = await Program.here(["compare"] + arguments)
            #expect(ending.exitCode == 64, "\(arguments)")
        }
    }
}
