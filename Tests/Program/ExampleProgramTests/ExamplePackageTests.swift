import BuiltProgram
import Foundation
import HistoryChecking
import Reports
import TestTiers
import Testing
import TrialModel

/// A third-party package with its own caches, run as its author would run it.
///
/// Its program is built with the tests, and sees only the public API.
@Suite(.timeLimit(.minutes(20)), .serialized)
struct ExamplePackageTests {
    private static let folder = "\(Program.root)/Tests/Program/ExamplePackage"
    private static let scenario = "\(folder)/Scenarios/orders.yaml"
    private static let program = "\(Program.path.dropLast("cache-trials".count))fast-cache-trials"

    private static func run(_ arguments: String...) async throws -> Program.Ending {
        try await Program.start(tool: program, arguments).ending()
    }

    @Test func `a main function of ten lines is a complete program`() async throws {
        let source = try String(
            contentsOfFile: "\(Self.folder)/Sources/fast-cache-trials/Main.swift", encoding: .utf8)
        let main = try #require(source.range(of: "@main")).lowerBound
        #expect(source[main...].split(separator: "\n").count <= 10)
        let help = try await Self.run("--help")
        #expect(help.exitCode == 0)
        for verb in ["run", "replay", "races", "compare", "report", "validate", "list"] {
            #expect(help.output.contains("\n  \(verb) "), "\(verb)")
        }
    }

    @Test func `its manifest names only products of this package`() throws {
        let manifest = try String(contentsOfFile: "\(Self.folder)/Package.swift", encoding: .utf8)
        let asked = manifest.matches(of: /\.product\(name: "(\w+)", package: "(\w+)"\)/).map { [$0.1, $0.2] }
        #expect(asked.map { $0[0] } == ["CacheTrials", "CacheStrategies", "CacheTrialsTesting"], "\(manifest)")
        #expect(asked.allSatisfy { $0[1] == "CacheTrials" })
    }

    // The user types the name of this program; no other program name may appear.
    @Test(arguments: [
        "", "run", "replay", "races", "compare", "report", "validate", "list", "check", "explore", "count",
        "merge", "describe", "convert",
        "calibrate",
    ])
    func `help and usage have the program's own name`(verb: String) async throws {
        let help = try await Self.run(verb.isEmpty ? "--help" : verb, "--help")
        #expect(help.exitCode == 0)
        #expect(help.output.contains("USAGE: fast-cache-trials \(verb.isEmpty ? "<subcommand>" : verb)"))
        let mistake = try await Self.run(verb.isEmpty ? "no-verb" : verb, "--no-such-flag")
        #expect(mistake.exitCode == 64)
        #expect(mistake.errors.contains("fast-cache-trials"))
        for text in [help.output, mistake.errors] {
            #expect(!text.replacing("fast-cache-trials", with: "").contains("cache-trials"), "\(text)")
        }
    }

    @Test func `the package's own strategies are listed after the built-in ones`() async throws {
        let list = try await Self.run("list", "strategies", "--format", "csv")
        let names = list.output.split(whereSeparator: \.isNewline).map { $0.prefix { $0 != "," } }
        let builtIn = try #require(names.firstIndex(of: "lru"))
        let own = try #require(names.firstIndex(of: "fast-cache"))
        #expect(names[own...].prefix(3) == ["fast-cache", "wrapped-lru", "wrapped-actor"])
        #expect(builtIn < own)
    }

    @Test(.nightly) func `the check finds the bug of the fast cache, and no other`() async throws {
        let results = try TemporaryFolder()
        let ending = try await Self.run(
            "check", Self.scenario, "--repetitions", "1", "--quiet", "--output", results.path + "/out")
        #expect(ending.exitCode == 3, "\(ending.errors)")
        let rows = try ResultFolder.readConsistency(at: results.path + "/out")
        #expect(Set(rows.map(\.trial.strategy)) == ["fast-cache", "wrapped-actor", "lru"])
        let broken = rows.filter { $0.verdict == .inconsistent }
        #expect(Set(broken.map(\.trial.strategy)) == ["fast-cache"])
        // A probe finds the restored value without a race of callers, as `contents`. If the value is there before the load
        // of the caller that removed it, the same bug breaks `own-past`.
        #expect(Set(broken.map(\.promise)).subtracting([.ownPast]) == [.newerWritesWin, .contents])
        let example = try #require(broken.first { $0.promise == .newerWritesWin }).example
        #expect(example.contains("was fetched before the key was removed, and was seen afterwards"), "\(example)")
        #expect(ending.errors.contains("fast-cache violated contents in orders: a load that a change overtakes "))
        for promise in [Promise.ownValues, .freshness, .limits, .admission, .errors] {
            let kept = rows.filter { $0.promise == promise && $0.verdict == .consistent }.map(\.trial.strategy)
            #expect(Set(kept) == ["fast-cache", "wrapped-actor", "lru"], "\(promise)")
        }
    }

    @Test func `a run has rows of the package's own strategies, which compare and report accept`() async throws {
        let results = try TemporaryFolder()
        let output = results.path + "/out"
        let repetitions = TestTier.isNightly ? 3 : 1
        let run = try await Self.run(
            "run", Self.scenario, "--repetitions", "\(repetitions)", "--quiet", "--output", output)
        #expect(run.exitCode == 0, "\(run.errors)")
        let trials = try ResultFolder.read(at: output).map(\.trial).filter { $0.key.phase == "busy" }
        #expect(trials.allSatisfy { $0.status == .completed && $0.operations == 8_000 })
        #expect(Set(trials.map(\.key.strategy)) == ["fast-cache", "wrapped-actor", "lru"])
        #expect(trials.count == 3 * repetitions)
        for trial in trials {
            #expect(trial.driver == (trial.key.strategy == "wrapped-actor" ? .tasks : .threads))
        }

        let compared = try await Self.run(
            "compare", "--within", output, "--baseline-strategy", "lru", "--format", "csv")
        #expect([0, 1].contains(compared.exitCode), "\(compared.errors)")
        #expect(compared.output.contains("fast-cache"))

        let report = try await Self.run("report", output)
        #expect(report.exitCode == 0, "\(report.errors)")
        let page = try String(contentsOfFile: output + "/report.html", encoding: .utf8)
        #expect(page.contains("fast-cache") && page.contains("wrapped-actor"))
    }

    @Test func `callers of an own strategy share its loads when its name says so`() async throws {
        let output = try TemporaryFolder().path + "/out"
        let run = try await Self.run(
            "run", Self.scenario, "--strategies", "fast-cache,shared+fast-cache,shared+wrapped-lru", "--repetitions",
            "1",
            "--quiet", "--output", output)
        #expect(run.exitCode == 0, "\(run.errors)")
        #expect(run.errors.contains("for lack of a type for string keys: shared+wrapped-lru\n"))
        let trials = try ResultFolder.read(at: output).map(\.trial).filter { $0.key.phase == "busy" }
        #expect(trials.map(\.key.strategy) == ["fast-cache", "shared+fast-cache"])
    }

    @Test func `a run without a remaining strategy is a usage error`() async throws {
        let results = try TemporaryFolder()
        let ending = try await Self.run(
            "run", Self.scenario, "--strategies", "wrapped-lru", "--quiet", "--output", results.path + "/out")
        #expect(ending.exitCode == 64)
        #expect(ending.errors.contains("no strategy can be run under these scenarios"))
        #expect(!FileManager.default.fileExists(atPath: results.path + "/out"))
    }

    @Test func `the schedules of an own strategy are explored`() async throws {
        let results = try TemporaryFolder()
        let ending = try await Self.run(
            "explore", Self.scenario, "--orders", "300", "--strategies", "wrapped-actor", "--quiet", "--output",
            results.path + "/out")
        #expect(ending.exitCode == 0, "\(ending.errors)")
        let rows = try ResultFolder.rows(of: ExplorationRow.self, at: results.path + "/out")
        #expect(!rows.isEmpty && rows.allSatisfy { $0.strategy == "wrapped-actor" })
    }

    @Test func `races are judged only in a sanitizer build`() async throws {
        let ending = try await Self.run("races", Self.scenario, "--strategies", "fast-cache")
        #expect(ending.exitCode == 2)
        #expect(ending.errors.contains("'swift build --sanitize=thread --scratch-path .build/races'"))
    }
}
