import ArgumentParser
import BuiltInStrategies
import CacheStrategies
import Foundation
import HistoryChecking
import Reports
import Schedules
import TrialModel
import TrialSessions

/// `explore`: small scripts in many orders.
struct ExploreCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "explore",
        abstract: "Runs small scripts in interleavings that seeds choose, until a strategy violates a guarantee.",
        discussion: """
            Examples:
              \(ThisProgram.name) explore Scenarios/scan.yaml --strategies actor --orders 100000
              \(ThisProgram.name) explore my-script.yaml --choice preemptions
              \(ThisProgram.name) explore my-script.yaml --orders 1 --seed 4711
              \(ThisProgram.name) explore my-script.yaml --orders 1000000 --shard 2/4 --output results/2

            An exploration runs no trials. It runs small scripts, or the scenario's own,
            one task or thread at a time, in interleavings that seeds choose. It writes
            exploration.csv, and the smallest script that violates a guarantee. With
            --shard, each machine tries its range of the seeds.
            """)

    @OptionGroup var files: ScenarioArguments

    @OptionGroup var strategies: StrategyArguments

    @Option(
        help: ArgumentHelp(
            "How many interleavings of each strategy's tasks or threads, from 1 to 10000000.", valueName: "n"))
    var orders = 10_000

    @Option(
        help: ArgumentHelp(
            "The seed of the first interleaving; the others count up from it. (default: the scenario's)", valueName: "n"
        ))
    var seed: UInt64?

    @Option(
        help: ArgumentHelp(
            "How interleavings of threads are chosen: random; pos (partial order sampling), which makes interleavings that differ in effect about equally likely; pct (probabilistic concurrency testing), which switches at few places; or preemptions, which tries every interleaving of a scenario's script with at most two preemptions. (default: random and pos alternately, and pct for one of eight)",
            valueName: "choice"))
    var choice: OrderChoice?

    @Option(
        help: ArgumentHelp(
            "The time after which a process counts as hung, such as 2min. (default: a minute, and 2 ms for each interleaving)",
            valueName: "time"),
        transform: TimeArgument.parse)
    var deadline: Duration?

    @OptionGroup var output: OutputArguments

    @OptionGroup var printing: FormatArguments<TableFormat>

    @OptionGroup(title: "Many machines") var shard: ShardArguments

    func validate() throws {
        try files.requireSome()
        try NumberArgument.check(orders, "orders", in: 1...10_000_000)
        try shard.check(output)
        guard let shard = shard.shard, shard.count > orders else { return }
        throw ValidationError(
            "'--shard \(shard.number)/\(shard.count)': at most \(orders) machines can share '--orders \(orders)'.")
    }

    func carryOut() async throws -> TrialExitCode {
        let subjects = try subjects()
        let runner = try makeRunner()
        let output = self.output.folder
        let part = try part(of: subjects)
        let range = shard.shard?.range(of: orders) ?? 0..<orders
        let folder = try ResultFolder.create(at: output, files: ResultFile.ofExploration)
        let description = try await RunDescription.describing(subjects, part: part, repetitions: 1, seed: seed)
        var session = ExplorationSession(
            subjects: subjects, schedules: range.count, seed: seed, orders: choice, folder: folder,
            progress: RunProgress(
                total: subjects.reduce(0) { $0 + $1.strategies.count }, isQuiet: self.output.quiet),
            runner: runner)
        session.skipped = range.lowerBound
        var work = try await Work(in: [(folder, nil)], description) { [session] in try await session.run() }
        let rows = try ResultFolder.rows(of: ExplorationRow.self, at: output)
        try work.write(
            WorkJudgement(
                gates: StrategyRegistry.current.gates(for: rows), cases: [], suite: "cache-trials explore"))
        let table = ExplorationTable.table(rows, marks: StrategyRegistry.current.marks)
        try StandardOutput.write([table].rendered(as: printing.format, width: StandardOutput.width))
        for (row, example, timeline) in work.ending.value?.examples ?? [] { show(row, example, timeline, in: output) }
        return work.end(at: output)
    }

    /// This machine's range of the orders of every strategy; `nil` for all orders.
    private func part(of subjects: [WorkSubject]) throws -> RunDescription.Shard? {
        let options =
            "explore, \(CacheTrialsCommand.version), \(orders), \(seed.map(String.init) ?? ""), "
            + (choice?.rawValue ?? "")
        let digests = try subjects.map { try $0.sha256 ?? FileDigest.sha256(ofFile: $0.path) }
        return try shard.shard?.share(of: subjects.flatMap(\.trials), digests: [options] + digests)
    }

    private func makeRunner() throws -> @Sendable () throws -> ExplorationRunner {
        let program = try ThisProgram.starter()
        return { [deadline, orders] in
            try ExplorationRunner(program: program, orders: orders, deadline: deadline)
        }
    }

    /// The strategies that can be explored; a note on standard error names the others.
    ///
    /// - Throws: ``Refusal`` when none is left.
    private func subjects() throws -> [WorkSubject] {
        let registry = StrategyRegistry.current
        let files = try files.read(strategies: strategies.allowed(of: registry.names), allowsScripts: true)
        try ScenarioArguments.refuseSwept(
            files, for: "explore", because: "interleavings have no load that a sweep could change")
        let chosen = try strategies.chosen()
        if choice == .preemptions, let file = files.first(where: { $0.scenario.script == nil }) {
            throw Refusal("\(file.path) has no script; '--choice preemptions' tries all interleavings of one", .usage)
        }
        var left = NamesByReason()
        let subjects = files.map { file in
            let named = chosen ?? file.scenario.strategies?.compactMap { registry[$0] } ?? registry.defaults
            for strategy in named {
                if let reason = whyNotExplorable(strategy) { left.add(strategy.declaration.name, reason) }
            }
            return WorkSubject(file, strategies: named.filter { whyNotExplorable($0) == nil })
        }
        for (reason, names) in left.groups.sorted(by: { $0.reason < $1.reason }) {
            StandardError.write("Not explorable, because \(reason): \(names.joined(separator: ", "))")
        }
        guard subjects.contains(where: { !$0.strategies.isEmpty }) else {
            let known = registry.strategies.filter { whyNotExplorable($0) == nil }.map(\.declaration.name)
            throw Refusal("there is nothing to explore; name one of \(known.joined(separator: ", "))", .usage)
        }
        return subjects
    }

    private func whyNotExplorable(_ strategy: Strategy) -> String? {
        if choice == .preemptions, strategy.explorer?.carrier == .tasks {
            return "the interleavings of tasks are drawn, and not enumerated"
        }
        return strategy.whyNotExplorable
    }

    /// Shows how a promise is broken, and how to see it again.
    private func show(_ row: ExplorationRow, _ example: Counterexample, _ timeline: [String], in output: String) {
        StandardError.write("\n\(row.strategy) in \(row.scenario): \(row.promise.rawValue) \(row.verdict.rawValue)")
        if !row.replayCommand.isEmpty { StandardError.write("  again: \(row.replayCommand)") }
        if let command = row.scriptCommand(in: output) { StandardError.write("  the smallest script: \(command)") }
        let lines = CounterexampleDrawing(example).lines + (timeline.isEmpty ? [] : [""]) + timeline
        let place = row.scriptFile.isEmpty ? "\(output)/exploration.csv" : "\(output)/\(row.scriptFile)"
        for line in CounterexampleDrawing.shown(lines, after: 3, allIn: place) { StandardError.write("  " + line) }
    }
}

extension OrderChoice: ExpressibleByArgument {}
