import AtomicOrders
import BuiltProgram
import CacheStrategies
import Foundation
import Mutants
import OrderPrimitives
import Reports
import TestTiers
import Testing
import TimedStrategies
import TrialModel

/// Whether the order of threads can be controlled here.
private let ordersThreads: Bool = {
    #if os(Linux) && arch(x86_64)
        true
    #else
        false
    #endif
}()

/// Orders of threads, through the program.
@Suite(.timeLimit(.minutes(10)), .serialized, .enabled(if: ordersThreads))
struct OrderRunTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// The program with the planted faults.
    private static let program = URL(fileURLWithPath: Program.path).deletingLastPathComponent()
        .appendingPathComponent("order-mutants").path

    private static let scenario = SmallScenario.explored(clients: 2, operations: 500)

    private func explore(
        _ strategies: [String], _ arguments: String...
    ) async throws -> (ending: Program.Ending, rows: [ExplorationRow], output: String) {
        let file = try folder.write(Self.scenario, to: "small.yaml")
        let output = "\(folder.path)/out-\(UInt64.random(in: 0..<UInt64.max))"
        let ending = try await Program.start(
            tool: Self.program,
            ["explore", file, "--strategies", strategies.joined(separator: ","), "--output", output, "--quiet"]
                + arguments
        ).ending()
        let rows = (try? ResultFolder.rows(of: ExplorationRow.self, at: output)) ?? []
        return (ending, rows, output)
    }

    @Test(.nightly) func `every planted ordering fault is found, by the promise that it breaks`() async throws {
        var left = OrderMutant.all.map { ($0.fault.rawValue, $0.fault.expectedPromise) }
        left += AtomicMutant.all.map { ($0.fault.rawValue, $0.fault.expectedPromise) }
        #expect(left.count >= 37)
        // Most are found soon, and an order that hangs takes as long as ten that do not.
        for orders in [500, OrderMutant.orders] where !left.isEmpty {
            let (ending, rows, _) = try await explore(
                left.map(\.0), "--orders", "\(orders)")
            #expect(ending.exitCode == 0, "\(ending.errors)")
            left.removeAll { name, promise in
                rows.contains { $0.strategy == name && $0.promise == promise && $0.verdict == .inconsistent }
            }
        }
        #expect(left.map(\.0) == [], "seed 1")
    }

    @Test(.timeLimit(.minutes(30))) func `each printed command shows its finding in a process of its own`() async throws
    {
        let few: [OrderFault] = [.sweptAfterLook, .olderWriteFlushed, .expiredInSecondStep]
        let faults = TestTier.isNightly ? OrderMutant.all.map(\.fault) : few
        let (ending, _, _) = try await explore(faults.map(\.rawValue), "--orders", "500")
        let marks = ["again: order-mutants ", "the smallest script: order-mutants "]
        let commands = (ending.output + ending.errors).split(separator: "\n").compactMap { line in
            marks.lazy.compactMap { line.firstRange(of: $0) }.first.map { String(line[$0.upperBound...]) }
        }
        #expect(commands.count >= faults.count, "\(ending.output)")
        for (number, command) in commands.enumerated() {
            let arguments = command.split(separator: " ").map(String.init)
            let output = "\(folder.path)/again-\(number)"
            let again = try await Program.start(tool: Self.program, arguments + ["--output", output, "--quiet"])
                .ending()
            let rows = try ResultFolder.rows(of: ExplorationRow.self, at: output)
            #expect(rows.contains { $0.violations > 0 }, "\(command): \(again.output)\(again.errors)")
        }
    }

    @Test func `the page on an ordering bug names lines that the program prints`() async throws {
        let page = "\(Program.root)/Sources/Program/CacheTrials/CacheTrials.docc/FindAnOrderingBug.md"
        func places(_ text: String) -> Set<String> { Set(text.matches(of: /\w+\.swift:\d+/).map { String($0.output) }) }
        let names = ["lock-order-reversed", "timeout-taken-for-signal", "torn-counter"]
        let (ending, rows, output) = try await explore(names, "--orders", "200")
        var printed = places(ending.output + ending.errors)
        for row in rows where !row.scriptFile.isEmpty {
            printed.formUnion(places(try String(contentsOfFile: "\(output)/\(row.scriptFile)", encoding: .utf8)))
        }
        let named = places(try String(contentsOfFile: page, encoding: .utf8))
        #expect(named.count > 6 && named.subtracting(printed) == [])
    }

    @Test(.nightly, arguments: [(StableNaming.name, ConsistencyVerdict.consistent), (HashNaming.name, .inconsistent)])
    func `files that are named by a hash with a seed are not found by another process`(
        name: String, verdict: ConsistencyVerdict
    ) async throws {
        let file = try folder.write(Self.scenario, to: "small.yaml")
        let output = "\(folder.path)/checked"
        _ = try await Program.start(
            tool: Self.program,
            ["check", file, "--strategies", name, "--orders", "0", "--output", output, "--quiet"]
        ).ending()
        let rows = try ResultFolder.readConsistency(at: output)
        let row = try #require(rows.first { $0.trial.strategy == name && $0.promise == .durability })
        #expect(row.verdict == verdict, "\(row.example)")
    }

    @Test func `an expired entry that is removed in a second section is found`() async throws {
        let name = OrderFault.expiredInSecondStep.rawValue
        let (ending, rows, output) = try await explore([name], "--orders", "1000")
        #expect(ending.exitCode == 0, "\(ending.errors)")
        let row = try #require(rows.first { $0.strategy == name && $0.verdict == .inconsistent })
        #expect(row.promise == .retention)
        #expect(try String(contentsOfFile: "\(output)/\(row.scriptFile)", encoding: .utf8).contains("expire"))
    }

    @Test func `a limit that is exceeded between two sections is found`() async throws {
        let names = [OrderFault.evictedAfterwards, .roomMadeBefore].map(\.rawValue)
        let (ending, rows, output) = try await explore(names, "--orders", "1000")
        #expect(ending.exitCode == 0, "\(ending.errors)")
        for name in names {
            let row = try #require(rows.first { $0.strategy == name && $0.verdict == .inconsistent })
            #expect(row.promise == .limits)
            let script = try String(contentsOfFile: "\(output)/\(row.scriptFile)", encoding: .utf8)
            #expect(script.contains("capacity: { entries: 1"))
        }
    }

    @Test func `caches without a fault and sound strategies have no findings`() async throws {
        let names = OrderMutant.sound.map(\.declaration.name) + ["lru", "barrier-nscache", "rwlock-lru", "expiring"]
        let (ending, rows, _) = try await explore(names, "--orders", "\(TestTier.cases(2_000))")
        #expect(ending.exitCode == 0, "\(ending.errors)")
        #expect(Set(rows.map(\.strategy)) == Set(names))
        for row in rows {
            #expect(row.verdict == .consistent || row.verdict == .unknown, "\(row.strategy): \(row.example)")
            #expect(row.carrier == "threads" && row.orders == "random, pos, pct")
        }
    }

    @Test func `where threads don't switch at atomics, the row and the table say so, with the command that tries them`()
        async throws
    {
        let (ending, rows, _) = try await explore(["barrier-nscache"], "--orders", "200")
        #expect(ending.exitCode == 0, "\(ending.errors)")
        #expect(rows.contains { $0.verdict == .consistent })
        #expect(rows.allSatisfy { $0.switchedAt.hasSuffix(" (not at atomics or Mutex)") && $0.unseen.isEmpty })
        let sentence = "Steps of atomics and of Mutex were not tried: scripts/explore tries them"
        #expect(ending.output.components(separatedBy: sentence).count == 2, "\(ending.output)")
    }

    @Test func `threads switch at the atomics of code that is compiled for it, and at every primitive`() async throws {
        let all = AtomicMutant.sound + Primitives.controlled + [Primitives.executor]
        let sound = TestTier.isNightly ? all : Array(all.suffix(3))
        let (ending, rows, _) = try await explore(sound.map(\.declaration.name), "--orders", "\(TestTier.cases(50))")
        #expect(ending.exitCode == 0, "\(ending.errors)")
        #expect(Set(rows.map(\.strategy)).count == sound.count)
        // A promise that needs more orders to be judged is unknown for other reasons.
        for row in rows {
            #expect(row.verdict != .inconsistent && row.unseen.isEmpty, "\(row.strategy): \(row.unseen)")
            let isCompiledForIt = AtomicMutant.sound.contains { $0.declaration.name == row.strategy }
            #expect(row.switchedAt.hasSuffix(" (not at atomics or Mutex)") != isCompiledForIt, "\(row)")
        }
        let found = TestTier.isNightly ? ["torn-counter", "mutexes-crossed"] : ["mutexes-crossed"]
        let (_, broken, _) = try await explore(found, "--orders", "50")
        #expect(Set(broken.filter { $0.verdict == .inconsistent }.map(\.strategy)) == Set(found))
    }

    @Test(.nightly) func `a call that can't be controlled ends the exploration, with its name and line`() async throws {
        // Threads, and tasks.
        let hanging = Primitives.hanging.map { ($0.strategy.declaration.name, $0.call) }
        for (name, call) in hanging + hanging.map({ ("shared+\($0)", $1) }) {
            let (ending, _, _) = try await explore([name], "--orders", "20")
            #expect(ending.exitCode == 2)
            #expect(ending.errors.contains(" in \(call) ("), "\(ending.errors)")
            #expect(ending.errors.contains("Primitives.swift:"))
        }
    }

    @Test func `without room for another thread tasks have their turn, and callers on threads are refused`()
        async throws
    {
        let (ending, rows, _) = try await explore(["shared+crowd", "crowd"], "--orders", "20")
        #expect(ending.exitCode == 2, "\(ending.errors)")
        let lost = rows.filter { $0.promise == .noLostCaller }
        #expect(lost.map(\.strategy) == ["shared+crowd", "crowd"])
        #expect(lost.first?.verdict != .inconsistent && lost.first?.schedules == 20)
        #expect(lost.last?.verdict == .failed && lost.last?.example.contains("no room for callers") == true)
    }

    @Test func `tasks and the threads that work for them share one order`() async throws {
        let (ending, rows, _) = try await explore(["disk"], "--orders", "200")
        #expect(ending.exitCode == 0, "\(ending.errors)")
        #expect(rows.allSatisfy { $0.schedules == 200 && $0.distinctOrders > 150 && $0.carrier == "tasks" })
        let (_, again, _) = try await explore(["disk"], "--orders", "200")
        #expect(again.map(\.traceDigest) == rows.map(\.traceDigest))
    }

    @Test func `a deadlock report names holders and waiters, with lines, and one seed is one order`() async throws {
        let name = OrderFault.lockOrderReversed.rawValue
        let (first, rows, output) = try await explore([name], "--orders", "500")
        let row = try #require(rows.first { $0.promise == .noLostCaller })
        #expect(row.verdict == .inconsistent)
        #expect(first.errors.contains("deadlock: client 1 holds lock"))
        #expect(first.errors.contains("LockOrderCache.swift:"))
        if TestTier.isNightly {
            let (again, same, _) = try await explore([name], "--orders", "500")
            #expect(same.map(\.traceDigest) == rows.map(\.traceDigest))
            #expect(Self.timeline(again) == Self.timeline(first))
        }

        // The smallest script, in the order with the fewest interruptions.
        #expect(row.scriptOrders == "preemptions")
        let seed = try #require(row.scriptSeed)
        let replay = "\(folder.path)/replay"
        let replayed = try await Program.start(
            tool: Self.program,
            [
                "explore", "\(output)/\(row.scriptFile)", "--orders", "1", "--seed", "\(seed)", "--choice",
                "preemptions", "--output", replay, "--quiet",
            ]
        ).ending()
        #expect(replayed.exitCode == 0, "\(replayed.errors)")
        let found = try ResultFolder.rows(of: ExplorationRow.self, at: replay).first { $0.promise == .noLostCaller }
        #expect(found?.verdict == .inconsistent && found?.firstSeed == seed)
    }

    /// The printed steps.
    private static func timeline(_ ending: Program.Ending) -> [Substring] {
        ending.errors.split(separator: "\n").filter { $0.contains(".swift:") }
    }

    @Test func `an enumeration also lets time pass early, and the steps show when`() async throws {
        let text = Self.scenario.replacingOccurrences(
            of: "operations: 500, clients: 2, mix: { load: 1 }", with: "script: [\"write 0, write 0, read 0\"]")
        let file = try folder.write(text, to: "early.yaml")
        let output = "\(folder.path)/early"
        let ending = try await Program.start(
            tool: Self.program,
            [
                "explore", file, "--strategies", OrderFault.olderWriteFlushed.rawValue, "--orders", "100000",
                "--choice", "preemptions", "--output", output, "--quiet",
            ]
        ).ending()
        #expect(ending.exitCode == 0, "\(ending.errors)")
        let rows = try ResultFolder.rows(of: ExplorationRow.self, at: output)
        let row = try #require(rows.first { $0.promise == .freshness })
        #expect(row.verdict == .inconsistent && row.spaceCovered == 1)
        // A finding has twelve lines; all steps are in the file that its last line names.
        let whole = try String(
            contentsOfFile: "\(output)/scripts/early-older-write-flushed-freshness.yaml", encoding: .utf8)
        #expect(whole.contains("wakes at its time"), "\(whole)")
        // What the harness calls after the callers shows nothing.
        #expect(!whole.contains("in removeAll"), "\(whole)")
    }

    @Test func `a script is run in all orders with two preemptions`() async throws {
        let text = Self.scenario.replacingOccurrences(
            of: "operations: 500, clients: 2, mix: { load: 1 }", with: "script: [\"write 0\", \"read 0, read 0\"]")
        let file = try folder.write(text, to: "script.yaml")
        let output = "\(folder.path)/walk"
        let ending = try await Program.start(
            tool: Self.program,
            [
                "explore", file, "--strategies", "lru", "--orders", "100000", "--choice", "preemptions",
                "--output",
                output, "--quiet",
            ]
        ).ending()
        #expect(ending.exitCode == 0, "\(ending.errors)")
        let row = try #require(try ResultFolder.rows(of: ExplorationRow.self, at: output).first)
        #expect(row.spaceCovered == 1 && row.schedules < 100_000 && row.schedules == row.distinctOrders)
        let refused = try await Program.start(
            tool: Self.program,
            [
                "explore", try folder.write(Self.scenario, to: "small.yaml"), "--strategies", "lru", "--orders", "10",
                "--choice", "preemptions",
            ]
        ).ending()
        #expect(refused.exitCode == 64 && refused.errors.contains("has no script"))
    }

    @Test func `a measuring trial does not load the library, and an exploring one does`() async throws {
        let file = try folder.write(Self.scenario, to: "small.yaml")
        for (mode, loads) in [(["run", "--smoke", "--repetitions", "1"], 0), (["explore", "--orders", "10"], 1)] {
            let log = "\(folder.path)/libraries-\(loads)"
            try FileManager.default.createDirectory(atPath: log, withIntermediateDirectories: true)
            // The dynamic linker lists the libraries of each process in a separate file.
            let ending = try await Program.start(
                [mode[0], file, "--strategies", "lru", "--quiet", "--output", "\(log)-out"] + mode.dropFirst(),
                shell: "exec \"$@\"", environment: ["LD_DEBUG": "libs", "LD_DEBUG_OUTPUT": "\(log)/process"]
            ).ending()
            #expect(ending.exitCode == 0, "\(ending.errors)")
            let texts = try FileManager.default.contentsOfDirectory(atPath: log).map {
                try String(contentsOfFile: "\(log)/\($0)", encoding: .utf8)
            }
            #expect(texts.count >= 2)
            #expect(texts.count { $0.contains("libThreadSchedule.so") } == loads, "\(mode)")
        }
    }

    @Test func `without the library threads can't be explored, and a line says so`() async throws {
        let copy = "\(folder.path)/order-mutants"
        try FileManager.default.copyItem(atPath: Self.program, toPath: copy)
        let file = try folder.write(Self.scenario, to: "small.yaml")
        let ending = try await Program.start(
            tool: copy, ["explore", file, "--strategies", "lru", "--orders", "5"]
        ).ending()
        #expect(ending.exitCode == 2)
        #expect(ending.errors.contains("libThreadSchedule.so, which is missing"))
    }
}
