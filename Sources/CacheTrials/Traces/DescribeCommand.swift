import ArgumentParser
import Reports
import Traces
import TrialModel

/// `describe`: describes the content of traces.
struct DescribeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "describe",
        abstract: "Describes traces: requests, keys, popularity, working set, reuse distances.",
        discussion: """
            Examples:
              \(ThisProgram.name) describe traffic.csv.gz
              \(ThisProgram.name) describe blocks.bin --trace-format oracleGeneral --format json
            """)

    @OptionGroup var files: TraceArguments

    @Option(help: ArgumentHelp("The format of the output.", valueName: "form"))
    var format = TableFormat.table

    func run() async throws {
        try files.requireColumnsToFit()
        do {
            var tables: [Table] = []
            for (path, name) in zip(files.traces, files.names) {
                let description = try TraceDescription(
                    path: path, format: try files.format(), options: try files.options())
                tables.append(TraceTable.table(description.facts, trace: name))
            }
            try StandardOutput.write(tables.rendered(as: format, width: StandardOutput.width))
        } catch let error as TraceError {
            StandardError.error("\(error)")
            throw ExitCode(TrialExitCode.badInput.rawValue)
        }
    }
}

extension TraceDescription {
    /// The description as lines of a table: a label, the figure, and a share where one exists.
    fileprivate var facts: [TraceTable.Fact] {
        var facts: [TraceTable.Fact] = [
            .text("format", summary.format?.rawValue ?? ""),
            .count("requests", summary.requests),
            .count("removals", summary.removals),
            .count("keys", summary.keys),
            .count("keys asked for once", oneHitWonders, of: summary.keys),
            .count("requests for a key that did not occur before", firstRequests, of: summary.requests),
            .ratio("requests for the most popular key", topKeyShare),
        ]
        if summary.hasSizes { facts.append(.count("bytes of all keys", Int(clamping: summary.uniqueBytes))) }
        if let zipfExponent { facts.append(.number("Zipf exponent of the popularity", zipfExponent)) }
        for (index, count) in workingSets.enumerated() {
            facts.append(.count("keys in tenth \(index + 1) of the requests", count, of: summary.keys))
        }
        for (below, requests) in reuseDistances where requests > 0 {
            let range = below == 1 ? "0" : "\(below / 2) to \(below - 1)"
            facts.append(.count("requests with \(range) other keys since the last", requests, of: summary.requests))
        }
        return facts
    }
}
