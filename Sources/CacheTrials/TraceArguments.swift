import ArgumentParser
import Foundation
import TraceFiles

/// The traces that a verb works on, and how they are read.
struct TraceArguments: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "Trace files, plain or packed with gzip, xz or zstd.", valueName: "trace"),
        completion: .file())
    var traces: [String]

    @Option(
        help: ArgumentHelp(
            "The format of the traces: \(TraceFormat.allCases.map(\.rawValue).joined(separator: ", ")). (default: found out by name and content)",
            valueName: "format"),
        completion: .list(TraceFormat.allCases.map(\.rawValue)))
    var traceFormat: String?

    @Option(
        help: ArgumentHelp(
            "The columns of a CSV or TSV file without a header, in order, from key, time, size, operation, lifetime and '-' for one that is not wanted.",
            valueName: "names"))
    var columns: String?

    func validate() throws {
        _ = try format()
        _ = try options()
    }

    /// The format that was named; `nil` when it is to be found out.
    func format() throws -> TraceFormat? {
        guard let traceFormat else { return nil }
        guard let format = TraceFormat(named: traceFormat) else {
            throw ValidationError(
                "There is no trace format called '\(traceFormat)'. There are: "
                    + "\(TraceFormat.allCases.map(\.rawValue).joined(separator: ", ")).")
        }
        return format
    }

    /// How the traces are read.
    func options() throws -> TraceReadingOptions {
        var options = TraceReadingOptions()
        guard let columns else { return options }
        options.csvColumns = try columns.split(separator: ",", omittingEmptySubsequences: false).map { name in
            let name = name.trimmingCharacters(in: .whitespaces)
            if name == "-" { return nil }
            guard let field = TraceField(headerName: name) else {
                throw ValidationError(
                    "'--columns': '\(name)' is none of "
                        + "\(TraceField.allCases.map(\.rawValue).joined(separator: ", ")) and '-'.")
            }
            return field
        }
        return options
    }
}
