import ArgumentParser
import CacheStrategies
import Foundation
import Reports
import ScenarioFiles
import TrialModel
import TrialRunner

/// `list`: what there is, one line each.
struct ListCommand: AsyncParsableCommand {
    /// What can be listed.
    enum Subject: String, ExpressibleByArgument, CaseIterable {
        case strategies, scenarios, columns
    }

    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the strategies and their promises, the scenarios, or the columns of the CSV files.",
        discussion: """
            Examples:
              cache-trials list strategies
              cache-trials list columns --format markdown
              cache-trials list scenarios --folder my-scenarios
            """)

    @Argument(help: "What to list.")
    var subject = Subject.strategies

    @Option(help: "The form of the list.")
    var format = TableFormat.table

    @Option(help: "The folder whose scenarios are listed.", completion: .directory)
    var folder = "Scenarios"

    func run() async throws {
        let table =
            switch subject {
            case .strategies: Self.strategies()
            case .scenarios: try scenarios()
            case .columns: ColumnCatalog.table
            }
        print(table.text(format: format))
    }

    private static func strategies() -> Table {
        var table = Table(columns: [
            .left("strategy"), .left("role"), .left("driver"), .left("bounds"), .left("consistency"), .left("limit"),
            .left("admits"), .left("coalesces"), .left("lifetime"), .left("disk"), .left("cancelling"),
            .left("what it is"),
        ])
        for registration in StrategyRegistry.builtIn.registrations {
            let declaration = registration.declaration
            let promises = declaration.promises
            table.append([
                declaration.name, declaration.role.rawValue, registration.preferredDriver.rawValue,
                text(declaration.bounds), promises.consistency.rawValue, promises.limit.rawValue,
                promises.admission.rawValue, promises.coalescesLoads ? "yes" : "no",
                promises.timeToLive ? "yes" : "no", promises.durability.rawValue, promises.cancellation.rawValue,
                declaration.summary,
            ])
        }
        return table
    }

    private static func text(_ bounds: Bounds) -> String {
        let names = [(Bounds.entries, "entries"), (.cost, "bytes")].filter { bounds.contains($0.0) }.map(\.1)
        return names.isEmpty ? "none" : names.joined(separator: ", ")
    }

    private func scenarios() throws -> Table {
        var arguments = ScenarioArguments()
        arguments.scenarios = [folder]
        var table = Table(columns: [
            .left("scenario"), .right("phases"), .right("keys"), .left("values"), .left("title"),
        ])
        for file in try arguments.read(strategies: StrategyRegistry.builtIn.names) {
            let scenario = file.scenario
            table.append([
                scenario.name, "\(scenario.phases.count)", "\(scenario.keys.count)", scenario.values.kind.rawValue,
                scenario.title,
            ])
        }
        return table
    }
}
