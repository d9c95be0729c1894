import ArgumentParser
import Foundation
import TraceFiles
import TrialModel

/// `convert`: the same trace in another format.
struct ConvertCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert",
        abstract: "Writes a trace in another format.",
        discussion: """
            Examples:
              cache-trials convert OLTP.lis.zst --to oracleGeneral --output OLTP.bin
              cache-trials convert traffic.csv --to keys --output traffic.keys.zst

            The output is packed when its name ends with .gz, .xz or .zst. An existing file
            is never replaced. An oracleGeneral file has the index of each next request.
            """)

    @OptionGroup var files: TraceArguments

    @Option(
        help: ArgumentHelp(
            "The format to write: \(TraceWriter.formats.map(\.rawValue).joined(separator: ", ")).", valueName: "format"),
        completion: .list(TraceWriter.formats.map(\.rawValue)))
    var to: String

    @Option(help: ArgumentHelp("The file to write.", valueName: "file"), completion: .file())
    var output: String

    func validate() throws {
        guard files.traces.count == 1 else {
            throw ValidationError("'convert' takes one trace at a time; there are \(files.traces.count).")
        }
        _ = try target()
        guard !output.isEmpty else { throw ValidationError("'--output' needs the name of a file.") }
    }

    func run() async throws {
        do {
            let trace = try NumberedTrace(
                path: files.traces[0], format: try files.format(), options: try files.options())
            try TraceWriter.write(trace, path: output, format: try target(), compression: compression)
            StandardError.write("\(output): \(trace.count) requests, \(trace.keyCount) keys")
        } catch let error as TraceError {
            StandardError.error("\(error)")
            let isOutput = error.path == output
            throw ExitCode((isOutput ? TrialExitCode.harnessTrouble : .badInput).rawValue)
        }
    }

    private func target() throws -> TraceFormat {
        guard let format = TraceFormat(named: to), TraceWriter.formats.contains(format) else {
            throw ValidationError(
                "'--to \(to)': these formats are written: "
                    + "\(TraceWriter.formats.map(\.rawValue).joined(separator: ", ")).")
        }
        return format
    }

    private var compression: TraceCompression {
        if output.hasSuffix(".gz") { return .gzip }
        if output.hasSuffix(".xz") { return .xz }
        return output.hasSuffix(".zst") ? .zstd : .none
    }
}
