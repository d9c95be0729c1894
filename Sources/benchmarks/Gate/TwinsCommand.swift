import ArgumentParser
import BuiltInStrategies
import CacheTrials
import Foundation
import Reports
import TimedStrategies
import TrialModel

/// `twins`: how often one strategy under two names is ranked apart.
struct TwinsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "twins",
        abstract: "Counts how often a strategy and its twin are ranked apart.",
        discussion: """
            Examples:
              cache-trials run Scenarios --strategies sound,twin+lru --repetitions 8 --turns --output Results/rounds
              scripts/benchmark twins Results/rounds

            A folder is the result of a run with a strategy and its twin. Its tables are
            ranked as they are, and then as in many runs: each takes the recorded rounds
            in another order, and stops in a scenario as soon as it is known who is best.
            Ends with 1 when twins are apart in more tables than the error allows.
            """)

    @Argument(help: "Result folders.", completion: .directory)
    var folders: [String]

    @Option(help: ArgumentHelp("How many runs are made of each folder, from 1 to 10000.", valueName: "count"))
    var runs = 100

    @Option(help: "The seed of the orders.")
    var seed: UInt64 = 1

    func validate() throws {
        try NumberArgument.check(runs, "runs", in: 1...10_000)
    }

    func run() throws {
        var recorded = TwinCount()
        var made = TwinCount()
        var random = RandomSource(seed: seed, stream: 1)
        for folder in folders {
            var rules = StrategyRegistry.current.rankingRules
            rules.add(try ResultFolder.readRun(at: folder))
            let all = try ResultFolder.read(at: folder)
            let tables = Dictionary(grouping: all, by: \.trial.key.trial.scenario).sorted { $0.key < $1.key }
            for (scenario, results) in tables {
                recorded.add(scenario, ScenarioRanking.all(results, rules).first)
                for _ in 0..<runs { made.add(scenario, Self.ranking(results, rules, &random)) }
            }
        }
        guard recorded.tables > 0 else { throw ValidationError("No table has a strategy and its twin, ranked.") }
        print("As recorded: \(recorded.text)")
        print("\(runs) runs of each folder, seed \(seed): \(made.text)")
        for (scenario, share) in made.apart.sorted(by: { $0.key < $1.key }) { print("  \(scenario): \(share)") }
        if made.share > TwinCount.error || recorded.share > TwinCount.error { throw ExitCode(1) }
    }

    /// The ranking after the first round that decides, or after all, in a random order of the rounds.
    private static func ranking(
        _ results: [PhaseResult], _ rules: RankingRules, _ random: inout RandomSource
    ) -> ScenarioRanking? {
        var rounds = Set(results.map(\.trial.key.trial.repetition)).sorted()
        random.shuffle(&rounds)
        let byRound = Dictionary(grouping: results, by: \.trial.key.trial.repetition)
        var taken: [PhaseResult] = []
        var ranking: ScenarioRanking?
        for (index, round) in rounds.enumerated() {
            taken += byRound[round] ?? []
            guard index + 1 >= Shift.fewestPairs || index == rounds.count - 1 else { continue }
            ranking = ScenarioRanking.all(taken, rules).first
            if ranking?.isDecided == true { break }
        }
        return ranking
    }
}

/// Tables with a strategy and its twin.
private struct TwinCount {
    /// What ``SureOrder`` states for a table.
    static let error = 0.05

    private(set) var tables = 0
    private(set) var apart: [ScenarioPoint: Int] = [:]
    private var decided = 0
    private var compared = 0
    private var decidedStrategies = 0

    var share: Double { tables == 0 ? 0 : Double(apart.values.reduce(0, +)) / Double(tables) }

    mutating func add(_ scenario: ScenarioPoint, _ ranking: ScenarioRanking?) {
        let verdicts = Dictionary(
            (ranking?.places ?? []).compactMap { place in place.verdict.map { (place.summary.strategy, $0) } }
        ) { first, _ in first }
        let pairs = verdicts.keys.compactMap { twin in
            StrategyRegistry.original(of: twin).flatMap { own in verdicts[own].map { ($0, verdicts[twin]) } }
        }
        guard !pairs.isEmpty else { return }
        tables += 1
        if pairs.contains(where: { ($0 == .worse) != ($1 == .worse) }) { apart[scenario, default: 0] += 1 }
        decided += ranking?.isDecided == true ? 1 : 0
        compared += verdicts.count - 1
        decidedStrategies += verdicts.values.count { $0 != .open && $0 != .best }
    }

    var text: String {
        let count = apart.values.reduce(0, +)
        return
            "twins are apart in \(count) of \(tables) tables (\(percent(share)), at most \(percent(BinomialLimit.upper(count, of: tables))) "
            + "if tables were independent); \(decided) tables are decided, and \(decidedStrategies) of \(compared) "
            + "strategies against the best"
    }

    private func percent(_ share: Double) -> String { DecimalText.fixed(share * 100, places: 1) + " %" }
}
