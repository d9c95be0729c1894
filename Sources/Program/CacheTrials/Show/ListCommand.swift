import ArgumentParser
import BuiltInStrategies
import CacheStrategies
import EvictionPolicies
import Foundation
import Reports
import Traces
import TrialModel

/// `list`: lists what is available, one line each.
struct ListCommand: Verb {
    /// What can be listed.
    enum Subject: String, ExpressibleByArgument, CaseIterable {
        case strategies, policies, scenarios, columns, formats, faults
    }

    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract:
            "Lists strategies and their guarantees, eviction policies, scenarios, columns of the CSV files, trace formats, or an origin's faults.",
        discussion: """
            Examples:
              \(ThisProgram.name) list strategies                what fits the terminal
              \(ThisProgram.name) list strategies --format csv   every guarantee of each
              \(ThisProgram.name) list policies                  those of 'replay', with their parameters
              \(ThisProgram.name) list columns --format markdown
              \(ThisProgram.name) list scenarios --folder my-scenarios
            """)

    @Argument(help: "What to list.")
    var subject = Subject.strategies

    @Option(help: "The format of the list.")
    var format = TableFormat.table

    @Option(help: "The folder whose scenarios are listed.", completion: .directory)
    var folder = "Scenarios"

    func carryOut() throws -> TrialExitCode {
        let table =
            switch subject {
            case .strategies: Self.strategies()
            case .policies: Self.policies()
            case .scenarios: try scenarios()
            case .columns: ColumnCatalog.table
            case .formats: Self.formats()
            case .faults: Self.faults()
            }
        try StandardOutput.write(
            table.rendered(as: format, width: StandardOutput.width ?? Self.widthWithoutTerminal))
        return .passed
    }

    /// The width for people who page the text or keep it in a file; programs use another format.
    private static let widthWithoutTerminal = 100

    private static func policies() -> Table {
        Table(
            of: ReplayPolicy.all.map { ($0.name, $0.declaration) }
                + ReplayPolicy.admissions.map { ("\($0.name)+", $0) },
            [
                TableColumn("policy") { .text($0.0) },
                TableColumn("parameters") { policy in
                    .text(policy.1.parameters.map { "\($0.name)=\($0.text($0.standard))" }.joined(separator: ", "))
                },
                TableColumn("source", isSpare: true) { .text($0.1.source) },
                TableColumn("agrees with", isSpare: true) { .text($0.1.agreement) },
                TableColumn("when to take it", isSpare: true) { .text($0.1.advice) },
                TableColumn("what it is") { .text($0.1.summary) },
            ],
            notes: [
                "--format csv has every column.",
                "A name with a plus is an admission, written in front of a policy, as in tinylfu+lru.",
            ])
    }

    private static func faults() -> Table {
        Table(
            of: OriginFaultKind.allCases,
            [
                TableColumn("fault") { .text($0.rawValue) }, TableColumn("the load fails") { .word($0.isFailure) },
                TableColumn("what happens") { .text($0.summary) },
            ])
    }

    private static func formats() -> Table {
        let columns: [(TraceColumns, String)] = [
            (.time, "time"), (.size, "size"), (.operation, "operation"), (.lifetime, "lifetime"),
            (.nextAccess, "next access"), (.cost, "cost"),
        ]
        return Table(
            of: TraceFormat.allCases,
            [
                TableColumn("format") { .text($0.rawValue) },
                TableColumn("besides the key") { format in
                    .text(columns.filter { format.columns.contains($0.0) }.map(\.1).joined(separator: ", "))
                },
                TableColumn("what it is") { .text($0.summary) },
            ])
    }

    private static func strategies() -> Table {
        let columns = [
            "strategy", "role", "driver", "bounds", "consistency", "limit", "admits", "coalesces", "newer writes",
            "lifetime", "disk", "cancelling", "limit 0", "smallest limit", "largest entry", "refused write", "callers",
            "machines", "memory pressure", "own prefetch", "tells tiers", "explored", "evicts", "policy", "what it is",
        ]
        let rows = StrategyRegistry.current.strategies.map { registration in
            let declaration = registration.declaration
            let promises = declaration.promises
            return [
                declaration.name, declaration.role.rawValue, registration.preferredDriver.rawValue,
                text(declaration.bounds), promises.consistency.rawValue, promises.limit.rawValue,
                promises.admission.rawValue, promises.coalescesLoads ? "yes" : "no",
                promises.keepsNewerWrites ? "kept" : "overwritten",
                text(promises.timeToLive), promises.durability.rawValue, promises.cancellation.rawValue,
                promises.limitRules.zero.rawValue, String(promises.limitRules.smallest),
                Quantity.percent(promises.limitRules.largestEntry),
                promises.limitRules.refusedReplacement.rawValue,
                declaration.callers.rawValue, declaration.reach.rawValue,
                registration.respondsToMemoryPressure ? "yes" : "no", registration.prefetches ? "yes" : "no",
                registration.tellsTiers ? "yes" : "no",
                registration.explorability,
                promises.evictsOnlyWhenFull ? "only when full" : "at any time",
                promises.evictionOrder?.rawValue ?? "undeclared",
                declaration.summary + (registration.absence().map { " (off: \($0))" } ?? ""),
            ]
        }
        let off = StrategyRegistry.off.map { off in
            [off.name, "off"] + Array(repeating: "", count: columns.count - 3) + ["off: \(off.reason)"]
        }
        return Table(
            of: rows + off,
            columns.enumerated().map { index, name in
                TableColumn(name, isSpare: !["strategy", "role", columns.last].contains(name)) { .text($0[index]) }
            },
            notes: [
                "--format csv has every column.",
                "The prefix shared+, as in shared+lru, lets callers share loads.",
            ])
    }

    private static func text(_ timeToLive: TimeToLive) -> String {
        guard timeToLive.kind != .none else { return "no" }
        let entry = timeToLive.perEntry ? ", per entry" : ""
        return timeToLive.kind.rawValue + entry + (timeToLive.clock == .system ? ", system clock" : "")
    }

    private static func text(_ bounds: Bounds) -> String {
        let names = [(Bounds.entries, "entries"), (.cost, "bytes")].filter { bounds.contains($0.0) }.map(\.1)
        return names.isEmpty ? "none" : names.joined(separator: ", ")
    }

    private func scenarios() throws -> Table {
        var arguments = ScenarioArguments()
        arguments.scenarios = [folder]
        let (files, isBad) = try arguments.readGood(
            strategies: StrategyRegistry.knownNames, allowsScripts: true, takesSweeps: true)
        if isBad { throw ExitCode(TrialExitCode.badInput.rawValue) }
        let scenarios = files.map(\.scenario).grouped(by: \.name).compactMap(\.elements.first)
        return Table(
            of: scenarios,
            [
                TableColumn("scenario") { .text($0.name) },
                TableColumn("phases", .right) { .integer(UInt64($0.phases.count)) },
                TableColumn("keys", .right) { .integer(UInt64($0.keys.count)) },
                TableColumn("values") { .text($0.values.kind.rawValue) }, TableColumn("title") { .text($0.title) },
                TableColumn("question") { .text($0.question.text ?? "") },
            ])
    }
}

/// `validate`: reads scenario files and reports every mistake.
struct ValidateCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "validate",
        abstract: "Checks scenario files; reports every mistake with its line, and what is allowed.",
        discussion: """
            Examples:
              \(ThisProgram.name) validate Scenarios
              \(ThisProgram.name) validate my-scenario.yaml && \(ThisProgram.name) run my-scenario.yaml

            Exits with 65 when a file is bad.
            """)

    @OptionGroup var files: ScenarioArguments

    @Flag(help: "Print nothing about good files.")
    var quiet = false

    func validate() throws {
        try files.requireSome()
    }

    func carryOut() throws -> TrialExitCode {
        let (good, isBad) = try files.readGood(
            strategies: StrategyRegistry.knownNames, allowsScripts: true, takesSweeps: true)
        let points = Dictionary(grouping: good, by: \.path)
        var seen: Set<String> = []
        for file in good where !quiet && seen.insert(file.path).inserted {
            let scenario = file.scenario
            let sweep = scenario.isSwept ? "a sweep of \(points[file.path]?.count ?? 1) points, " : ""
            let measured = scenario.phases.filter { !$0.warmUp }.count
            let requests = scenario.keys.trace.map { "\($0.requestCount) requests of a trace, " } ?? ""
            let pools = scenario.pools.isEmpty ? "" : " in \(scenario.pools.count) pools"
            try StandardOutput.write(
                "\(file.path): good; \(sweep)\(scenario.phases.count) phases, \(measured) measured, "
                    + "\(requests)\(scenario.keys.count) keys\(pools), seed \(scenario.seed)\n")
        }
        return isBad ? .badInput : .passed
    }
}
