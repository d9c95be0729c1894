import ArgumentParser
import Traces
import TrialModel

/// `convert`: writes a trace in another format.
struct ConvertCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert",
        abstract: "Writes a trace in another format.",
        discussion: """
            Examples:
              \(ThisProgram.name) convert OLTP.lis.zst --to oracleGeneral --output OLTP.bin
              \(ThisProgram.name) convert traffic.csv --to keys --output traffic.keys.zst

            The output is compressed when its name ends with .gz, .xz or .zst. An existing
            file is never replaced, and a file has its name only once it is complete. An
            oracleGeneral file has the index of each next request. Information that a format
            can't hold is reported; writes and removals never become reads.
            """)

    @OptionGroup var files: TraceArguments

    @Option(
        help: ArgumentHelp(
            "The format to write: \(TraceWriter.formats.map(\.rawValue).joined(separator: ", ")).", valueName: "format"),
        completion: .list(TraceWriter.formats.map(\.rawValue)))
    var to: String

    @Option(help: ArgumentHelp("The file to write.", valueName: "file"), completion: .file())
    var output: String

    @Flag(help: "Leave out writes and removals, for formats that hold reads only.")
    var readsOnly = false

    func validate() throws {
        guard files.traces.count == 1 else {
            throw ValidationError("'convert' takes one trace at a time; there are \(files.traces.count).")
        }
        _ = try target()
        guard !output.isEmpty else { throw ValidationError("'--output' needs the name of a file.") }
    }

    func run() async throws {
        try files.requireColumnsToFit()
        let work = ConvertWork(
            path: files.traces[0], format: try files.format(), options: try files.options(), output: output,
            target: try target(), compression: compression, readsOnly: readsOnly)
        try await Interruption.cancelling { try await WorkThread.run { try work.carryOut() } }.exitCode.leave()
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
