import ArgumentParser
import Reports
import Traces
import TrialModel

/// `convert`: writes a trace in another format.
struct ConvertCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "convert",
        abstract: "Writes a trace in another format.",
        discussion: """
            Examples:
              \(ThisProgram.name) convert OLTP.lis.zst --to oracleGeneral --output OLTP.bin
              \(ThisProgram.name) convert traffic.csv --to oracleGeneral --output - | gzip > traffic.gz

            An output of '-' is standard output. An existing file is never replaced, and a
            file has its name only once it is complete. An oracleGeneral file has the index
            of each next request. Information that a format can't hold is reported; writes
            and removals never become reads.
            """)

    @OptionGroup var files: TraceArguments

    @Option(
        help: ArgumentHelp(
            "The format to write: \(TraceWriter.formats.map(\.rawValue).joined(separator: ", ")).", valueName: "format"),
        completion: .list(TraceWriter.formats.map(\.rawValue)))
    var to: String

    @Option(help: ArgumentHelp("The file to write; '-' is standard output.", valueName: "file"), completion: .file())
    var output: String

    @Flag(help: "Leave out writes and removals, for formats that hold reads only.")
    var readsOnly = false

    func validate() throws {
        guard files.traces.count == 1 else {
            throw ValidationError("'convert' takes one trace at a time; there are \(files.traces.count).")
        }
        try files.requireFiles(for: "convert")
        _ = try target()
        guard !output.isEmpty else { throw ValidationError("'--output' needs the name of a file.") }
        for (ending, program) in [(".gz", "gzip"), (".xz", "xz"), (".zst", "zstd")] where output.hasSuffix(ending) {
            throw ValidationError(
                "'--output \(output)': files are written uncompressed; pipe it: --output - | \(program) > \(output)")
        }
    }

    func carryOut() async throws -> TrialExitCode {
        try files.requireColumnsToFit()
        let (format, options, target) = (try files.format(), try files.options(), try target())
        return await Interruption.cancelling {
            try await WorkThread.run { try convert(files.traces[0], format, options, to: target) }
        }.exitCode
    }

    private func target() throws -> TraceFormat {
        guard let format = TraceFormat(named: to), TraceWriter.formats.contains(format) else {
            throw ValidationError(
                "'--to \(to)': these formats are written: "
                    + "\(TraceWriter.formats.map(\.rawValue).joined(separator: ", ")).")
        }
        return format
    }

    /// The output, as messages name it.
    private var outputName: String { output == TraceWriter.standardOutput ? "standard output" : output }

    /// Writes the trace, and reports what is lost.
    ///
    /// - Throws: ``Refusal``.
    private func convert(
        _ path: String, _ format: TraceFormat?, _ options: TraceReadingOptions, to target: TraceFormat
    ) throws {
        do {
            let reader = try TraceReader(path: path, format: format, options: options)
            let columns = reader.columns
            var wanted = options
            // Columns that are lost anyway need not be readable.
            wanted.columns = target.columns.union(.operation)
            var trace = try NumberedTrace(path: path, format: format, options: wanted)
            try settleOperations(of: &trace, path, target)
            for loss in Self.losses(of: trace, columns, in: target) {
                StandardError.write("\(outputName): \(target.rawValue) holds no \(loss)")
            }
            try TraceWriter.write(trace, path: output, format: target)
            StandardError.write("\(path): \(trace.readAs)")
            StandardError.write("\(outputName): \(trace.count) requests, \(Set(trace.ids).count) keys")
        } catch let error as TraceError {
            if error.reason == .interrupted { StandardError.write("Interrupted; \(outputName) was not written") }
            throw Refusal("\(error)", error.path == outputName ? .harnessTrouble : .badInput)
        }
    }

    /// Other operations must not silently become reads: a replay would count them as lookups.
    private func settleOperations(of trace: inout NumberedTrace, _ path: String, _ target: TraceFormat) throws {
        let writes = trace.requests.operations.count { $0 == .write }
        let removals = trace.requests.operations.count { $0 == .remove }
        guard writes + removals > 0 else { return }
        let others = "\(Self.count(writes, "write")) and \(Self.count(removals, "removal"))"
        if readsOnly {
            trace.keepReads()
            guard trace.count > 0 else { throw Refusal("\(path): holds no reads, only \(others)") }
            StandardError.write("\(outputName): without \(others)")
        } else if !target.columns.contains(.operation) {
            throw Refusal(
                "\(path): \(others) would become reads in \(target.rawValue); write csv, or leave them out with '--reads-only'"
            )
        }
    }

    private static func count(_ count: Int, _ word: String) -> String { "\(count) \(word)\(count == 1 ? "" : "s")" }

    /// The information of the trace that the format can't hold.
    private static func losses(
        of trace: NumberedTrace, _ columns: TraceColumns, in target: TraceFormat
    ) -> [String] {
        let lost = columns.subtracting(target.columns)
        var losses: [String] = []
        if lost.contains(.time) { losses.append("times") }
        if lost.contains(.size) { losses.append("sizes") }
        if lost.contains(.lifetime) { losses.append("lifetimes") }
        if lost.contains(.cost) { losses.append("costs") }
        if target == .oracleGeneral {
            if trace.keyTexts != nil { losses.append("texts: keys are their numbers") }
            if trace.requests.timesNanoseconds.contains(where: { $0 % 1_000_000_000 != 0 }) {
                losses.append("fractions of a second")
            }
        }
        return losses
    }
}
