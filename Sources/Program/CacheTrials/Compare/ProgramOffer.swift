import CacheStrategies
import Foundation
import Platform
import Subprocess
import TimedStrategies
import TrialModel

/// What a program on trial can run, as it lists it itself: another version may lack a strategy, or a key of a scenario.
struct ProgramOffer: Sendable {
    /// The names of its strategies that are not off; `nil` where it does not list them, which then lacks nothing.
    private var names: Set<String>?
    /// Those of its strategies that are candidates.
    private(set) var candidates: Set<String> = []
    /// The first mistake that it finds in a scenario file, by path; a strategy that it does not have is no mistake.
    private(set) var mistakes: [String: String] = [:]

    /// Asks a program.
    ///
    /// - Parameter files: the paths of the scenario files.
    init(of program: String, files: [String]) async {
        // In tests, scripts stand in for programs that do not exist.
        if Surroundings.current?.startChild != nil { return }
        if let lines = await Self.ask(program, ["list", "strategies", "--format", "csv"])?.output,
            lines.first?.hasPrefix("strategy,role,") == true
        {
            let rows = lines.dropFirst().map { $0.split(separator: ",", maxSplits: 2).map(String.init) }
                .filter { $0.count > 1 && $0[1] != "off" }
            names = Set(rows.map { $0[0] })
            // Earlier versions said `sound`.
            candidates = Set(rows.filter { [StrategyRole.candidate.rawValue, "sound"].contains($0[1]) }.map { $0[0] })
        }
        guard let errors = await Self.ask(program, ["validate", "--quiet"] + files)?.errors else { return }
        for file in files {
            let mistake = errors.lazy.filter { $0.hasPrefix("\(file):") }.map { $0.dropFirst(file.count + 1) }
                .first { !$0.contains(/^[0-9]+:[0-9]+: strategies\[/) }
            // What is allowed in place of it is a long list.
            mistakes[file] = mistake.map { $0.components(separatedBy: ", allowed:")[0] }
        }
    }

    private static func ask(
        _ program: String, _ arguments: [String]
    ) async -> (output: [String], errors: [String])? {
        let result = try? await Subprocess.run(
            .path(filePath(URL(fileURLWithPath: program).path)), arguments: Arguments(arguments),
            output: .string(limit: 1 << 20), error: .string(limit: 1 << 20))
        guard let result, case .exited = result.terminationStatus else { return nil }

        func lines(_ text: String?) -> [String] { (text ?? "").split(whereSeparator: \.isNewline).map(String.init) }
        return (lines(result.standardOutput), lines(result.standardError))
    }

    /// Whether it lacks a strategy; one with a prefix, such as `shared+lru`, is looked for without it.
    func lacks(_ name: String) -> Bool {
        guard let names else { return false }
        return !names.contains(name) && !names.contains(String(name.split(separator: "+").last ?? ""))
    }
}

/// What two programs have in common of scenarios and strategies.
struct CommonTrials {
    /// The scenario files that both can read.
    let files: [ScenarioArguments.File]
    /// What only one of them has, a line each.
    private(set) var unmatched: [String] = []
    private var lacking: Set<String> = []
    private let strategies: ApplicableStrategies

    /// - Parameter offers: the baseline's, then the candidate's.
    init(_ files: [ScenarioArguments.File], _ strategies: ApplicableStrategies, _ offers: [ProgramOffer]) {
        self.strategies = strategies
        let sides = ["baseline", "candidate"]
        for name in files.flatMap({ strategies.of($0.scenario) }).map(\.declaration.name).distinct {
            guard let side = offers.firstIndex(where: { $0.lacks(name) }) else { continue }
            lacking.insert(name)
            unmatched.append("\(name): only in the \(sides[1 - side])")
        }
        if strategies.chosen == nil, files.allSatisfy({ $0.scenario.strategies == nil }) {
            unmatched += offers[0].candidates.filter(offers[1].lacks).sorted().map { "\($0): only in the baseline" }
        }
        self.files = files.filter { file in !offers.contains { $0.mistakes[file.path] != nil } }
        for path in files.map(\.path).distinct {
            guard let side = offers.firstIndex(where: { $0.mistakes[path] != nil }) else { continue }
            unmatched.append(
                "\(path): only for the \(sides[1 - side]), because the \(sides[side]) reads it as bad: "
                    + (offers[side].mistakes[path] ?? ""))
        }
    }

    /// The strategies of a scenario that both have.
    func strategies(of scenario: Scenario) -> [Strategy] {
        strategies.of(scenario).filter { !lacking.contains($0.declaration.name) }
    }
}
