import ArgumentParser
import Foundation
import ReportPage
import Reports
import Traces
import TrialModel

/// The traces that a verb works on, and how they are read.
struct TraceArguments: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "Trace files, plain or compressed with gzip, xz or zstd; replay reads '-', standard input.",
            valueName: "trace"),
        completion: .file())
    var traces: [String]

    @Option(
        help: ArgumentHelp(
            "The format of the traces: \(TraceFormat.allCases.map(\.rawValue).joined(separator: ", ")). (default: detected from name and content)",
            valueName: "format"),
        completion: .list(TraceFormat.allCases.map(\.rawValue)))
    var traceFormat: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The columns of a file without a header, in order, from key, time, size, operation, lifetime, cost, count (of repetitions) and '-' for a column to skip; commas, semicolons, tabs or blanks separate them in the file. Several keys form one. Under a header, names: key=lun+offset,size=Length.",
            valueName: "names"))
    var columns: String?

    @Option(help: ArgumentHelp("How many lines to leave out at the beginning of a text.", valueName: "n"))
    var skipLines = 0

    @Option(
        help: ArgumentHelp("The character that begins a comment line of a file of columns.", valueName: "character"))
    var comment: String?

    @Option(
        help: ArgumentHelp(
            "What words of the operation column mean: word=read, write or remove, separated by commas.",
            valueName: "words"))
    var operations: String?

    @Option(
        help: ArgumentHelp(
            "Split each request of an MSR trace into blocks of this size, such as 4KiB. (default: a request is one object)",
            valueName: "size"))
    var splitBlocks: String?

    @Option(
        help: ArgumentHelp(
            "Which size an object has: written (a write replaces it, and a request of size 0 takes the last known one), or first (that of the request that admitted it, as in libCacheSim).",
            valueName: "which"),
        completion: .list(["written", "first"]))
    var sizes = "written"

    @Flag(help: "Allow lines of an ARC trace to ask for more than 512 keys.")
    var longRuns = false

    @Option(
        help: ArgumentHelp("What the keys of a CSV or TSV file are: automatic, numbers or text.", valueName: "kind"),
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

    /// The text of all options, on which what is read depends.
    var optionsText: String {
        [
            traceFormat ?? "", columns ?? "", keys, timeUnit ?? "", "\(skipLines)", comment ?? "", operations ?? "",
            splitBlocks ?? "", "\(longRuns)", sizes,
        ].joined(separator: "|")
    }

    /// The text of all options where none is given.
    static let defaultText = "||automatic||0||||false|written"

    /// Whether one of the traces is standard input, which can be read once.
    func hasStandardInput() throws -> Bool {
        let count = traces.count { $0 == TraceReader.standardInput }
        guard count <= 1 else { throw ValidationError("'-': standard input can be read once; name it once.") }
        return count == 1
    }

    /// Refuses standard input for a verb that reads a trace more than once.
    func requireFiles(for verb: String) throws {
        guard try hasStandardInput() else { return }
        throw ValidationError(
            "'-': '\(verb)' reads a trace more than once, and standard input can be read once; save it in a file.")
    }

    /// Refuses named columns for a format that has its own; the format may only be known from the content.
    func requireColumnsToFit() throws {
        guard columns != nil else { return }
        for path in traces {
            // A trace that can't be opened is reported elsewhere.
            guard skipLines == 0, comment == nil, try format() == nil, path != TraceReader.standardInput,
                let found = try? TraceReader.detect(path: path), found != .csv, found != .tsv
            else { continue }
            throw ValidationError(
                "'--columns' is for csv and tsv: \(path) is \(found.rawValue), with columns of its own.")
        }
    }

    /// The name of each trace: its file name, with as much of its path in front as makes it unique.
    var names: [String] {
        let paths = traces.map { path in
            path == TraceReader.standardInput
                ? ["standard input"] : URL(fileURLWithPath: path).standardizedFileURL.pathComponents
        }
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
        guard let kind = TraceCSVKeys(rawValue: keys) else {
            throw ValidationError("'--keys \(keys)': automatic, numbers or text is allowed.")
        }
        guard let unit = TraceTimeUnit(rawValue: timeUnit ?? "s") else {
            throw ValidationError("'--time-unit \(timeUnit ?? "")': s, ms, us or ns is allowed.")
        }
        (options.csvKeys, options.csvTimeUnit) = (kind, unit)
        try NumberArgument.check(skipLines, "skip-lines", in: 0...1_000_000)
        (options.skippedLines, options.allowsLongRuns) = (skipLines, longRuns)
        if let comment {
            guard comment.utf8.count == 1, let byte = comment.utf8.first else {
                throw ValidationError("'--comment \(comment)': one character is allowed, such as '#'.")
            }
            options.csvComment = byte
        }
        guard ["written", "first"].contains(sizes) else {
            throw ValidationError("'--sizes \(sizes)': written or first is allowed.")
        }
        options.keepsFirstSizes = sizes == "first"
        options.csvOperations = try knownOperations()
        options.blockByteCount = try blockByteCount()
        guard let columns else { return options }
        if columns.contains("=") {
            options.csvNames = try names(columns)
            return options
        }
        options.csvColumns = try columns.split(separator: ",", omittingEmptySubsequences: false).map { name in
            let name = name.trimmingCharacters(in: .whitespaces)
            if name == "-" { return nil }
            return try Self.field(name)
        }
        return options
    }

    private static func field(_ name: String) throws -> TraceField {
        if let field = TraceField(rawValue: name.lowercased()) ?? TraceField(headerName: name) { return field }
        throw ValidationError(
            "'--columns': '\(name)' is not one of "
                + "\(TraceField.allCases.map(\.rawValue).joined(separator: ", ")) and '-'.")
    }

    /// Reads columns by the names of a header, such as `key=lun+offset,size=Length`.
    private func names(_ columns: String) throws -> [String: TraceField] {
        var names: [String: TraceField] = [:]
        for part in columns.split(separator: ",", omittingEmptySubsequences: false) {
            let sides = part.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            guard let first = sides.first, let last = sides.last else {
                throw ValidationError("'--columns \(columns)': write key=name, and other columns the same way.")
            }
            let field = try Self.field(first)
            let parts = last.split(separator: "+").map { $0.lowercased() }
            guard !parts.isEmpty, parts.count == 1 || field == .key else {
                throw ValidationError("'--columns \(columns)': only a key may have several columns, as key=lun+offset.")
            }
            for name in parts {
                guard names.updateValue(field, forKey: name) == nil else {
                    throw ValidationError("'--columns \(columns)': '\(name)' is named twice.")
                }
            }
        }
        guard names.values.contains(.key) else {
            throw ValidationError("'--columns \(columns)': there is no key; write key=name.")
        }
        return names
    }

    private func knownOperations() throws -> [String: TraceOperation] {
        guard let operations else { return [:] }
        var known: [String: TraceOperation] = [:]
        for part in operations.split(separator: ",") {
            let sides = part.split(separator: "=").map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
            let meanings: [String: TraceOperation] = ["read": .read, "write": .write, "remove": .remove]
            guard sides.count == 2, let meaning = meanings[sides[1]] else {
                throw ValidationError(
                    "'--operations': '\(part)' is not word=read, word=write or word=remove, such as 2a=write.")
            }
            known[sides[0]] = meaning
        }
        return known
    }

    private func blockByteCount() throws -> UInt64? {
        guard let splitBlocks else { return nil }
        guard case .bytes(let bytes)? = ReplayCapacity(splitBlocks), bytes.nonzeroBitCount == 1,
            (512...(1 << 30)).contains(bytes)
        else {
            throw ValidationError(
                "'--split-blocks \(splitBlocks)': a power of two from 512B to 1GiB is allowed, such as 4KiB.")
        }
        return bytes
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
              \(ThisProgram.name) describe traffic.csv.gz --page traffic.html
            """)

    @OptionGroup var files: TraceArguments

    @Option(help: ArgumentHelp("The format of the output.", valueName: "form"))
    var format = TableFormat.table

    @Option(
        help: ArgumentHelp(
            "Also write a page with charts over time: requests a second, working set, new keys, popularity decay.",
            valueName: "file"),
        completion: .file(extensions: ["html"]))
    var page: String?

    func validate() throws {
        try files.requireFiles(for: "describe")
        if page?.isEmpty == true { throw ValidationError("'--page' needs the name of a file.") }
    }

    func carryOut() throws -> TrialExitCode {
        try files.requireColumnsToFit()
        let traces = try zip(files.traces, files.names).map { path, name in
            let description = try TraceDescription(path: path, format: files.format(), options: files.options())
            StandardError.write("\(name): \(description.summary.readAs)")
            let intervals = description.intervals.map(DescriptionPage.Interval.init)
            return (name: name, facts: TraceTable.table(description.facts, trace: name), intervals: intervals)
        }
        try StandardOutput.write(traces.map(\.facts).rendered(as: format, width: StandardOutput.width))
        if let page { try ResultFolder.writeText(DescriptionPage(traces).html, to: page) }
        return .passed
    }
}

extension DescriptionPage.Interval {
    fileprivate init(_ interval: TraceTimeline.Interval) {
        self.init(
            start: interval.start, requestsPerSecond: interval.requestsPerSecond, keys: interval.keys,
            newKeys: interval.newKeys, shareOfEarlyKeys: interval.shareOfEarlyKeys)
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
