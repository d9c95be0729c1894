import ArgumentParser
import Foundation
import Reports
import Traces
import TrialModel

/// The traces that a verb works on, and how they are read.
struct TraceArguments: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "Trace files, plain or compressed with gzip, xz or zstd.", valueName: "trace"),
        completion: .file())
    var traces: [String]

    @Option(
        help: ArgumentHelp(
            "The format of the traces: \(TraceFormat.allCases.map(\.rawValue).joined(separator: ", ")). (default: detected from name and content)",
            valueName: "format"),
        completion: .list(TraceFormat.allCases.map(\.rawValue)))
    var traceFormat: String?

    @Option(
        help: ArgumentHelp(
            "The columns of a CSV or TSV file without a header, in order, from key, time, size, operation, lifetime and '-' for a column to skip.",
            valueName: "names"))
    var columns: String?

    @Option(
        help: ArgumentHelp(
            "What the keys of a CSV or TSV file are: automatic, numbers or text.", valueName: "kind"),
        completion: .list(["automatic", "numbers", "text"]))
    var keys = "automatic"

    @Option(
        help: ArgumentHelp(
            "The unit of the times in a CSV or TSV file: s, ms, us or ns. (default: s)", valueName: "unit"),
        completion: .list(["s", "ms", "us", "ns"]))
    var timeUnit: String?

    func validate() throws {
        _ = try format()
        _ = try options()
        if columns != nil, let format = try format(), format != .csv, format != .tsv {
            throw ValidationError("'--columns' is for csv and tsv: \(format.rawValue) has columns of its own.")
        }
    }

    /// Refuses named columns for a format that has its own; the format may only be known from the content.
    func requireColumnsToFit() throws {
        guard columns != nil else { return }
        for path in traces {
            // A trace that can't be opened is reported elsewhere.
            guard let found = try? TraceReader.detect(path: path), found != .csv, found != .tsv else { continue }
            guard try format() == nil else { continue }
            throw ValidationError(
                "'--columns' is for csv and tsv: \(path) is \(found.rawValue), with columns of its own.")
        }
    }

    /// The name of each trace: its file name, with as much of its path in front as makes it unique.
    var names: [String] {
        let paths = traces.map { URL(fileURLWithPath: $0).standardizedFileURL.pathComponents }
        return paths.map { own in
            var count = 1
            while count < own.count, paths.contains(where: { $0 != own && $0.suffix(count) == own.suffix(count) }) {
                count += 1
            }
            return own.suffix(count).joined(separator: "/")
        }
    }

    /// The named format; `nil` to detect it.
    func format() throws -> TraceFormat? {
        guard let traceFormat else { return nil }
        guard let format = TraceFormat(named: traceFormat) else {
            let hint = NearestName.hint(for: traceFormat, in: TraceFormat.allCases.map(\.rawValue))
            throw ValidationError("There is no trace format called '\(traceFormat)'; \(hint)")
        }
        return format
    }

    /// How the traces are read.
    func options() throws -> TraceReadingOptions {
        var options = TraceReadingOptions()
        switch keys {
        case "automatic": options.csvKeys = .automatic
        case "numbers": options.csvKeys = .numbers
        case "text": options.csvKeys = .text
        default: throw ValidationError("'--keys \(keys)': automatic, numbers or text is allowed.")
        }
        switch timeUnit {
        case nil, "s": options.csvTimeUnit = .seconds
        case "ms": options.csvTimeUnit = .milliseconds
        case "us": options.csvTimeUnit = .microseconds
        case "ns": options.csvTimeUnit = .nanoseconds
        case let unit?: throw ValidationError("'--time-unit \(unit)': s, ms, us or ns is allowed.")
        }
        guard let columns else { return options }
        options.csvColumns = try columns.split(separator: ",", omittingEmptySubsequences: false).map { name in
            let name = name.trimmingCharacters(in: .whitespaces)
            if name == "-" { return nil }
            guard let field = TraceField(headerName: name) else {
                throw ValidationError(
                    "'--columns': '\(name)' is not one of "
                        + "\(TraceField.allCases.map(\.rawValue).joined(separator: ", ")) and '-'.")
            }
            return field
        }
        return options
    }
}

/// `describe`: describes the content of traces.
struct DescribeCommand: Verb {
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

    func carryOut() throws -> TrialExitCode {
        try files.requireColumnsToFit()
        let tables = try zip(files.traces, files.names).map { path, name in
            let description = try TraceDescription(path: path, format: files.format(), options: files.options())
            return TraceTable.table(description.facts, trace: name)
        }
        try StandardOutput.write(tables.rendered(as: format, width: StandardOutput.width))
        return .passed
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
