import ArgumentParser
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

    func carryOut() async throws -> TrialExitCode {
        try files.requireColumnsToFit()
        let work = ConvertWork(
            path: files.traces[0], format: try files.format(), options: try files.options(), output: output,
            target: try target(), compression: compression, readsOnly: readsOnly)
        return await Interruption.cancelling { try await WorkThread.run { try work.carryOut() } }.exitCode
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

/// Writes a trace in another format, and reports what is lost.
struct ConvertWork: Sendable {
    let path: String
    let format: TraceFormat?
    let options: TraceReadingOptions
    let output: String
    let target: TraceFormat
    let compression: TraceCompression
    /// Whether writes and removals are left out.
    let readsOnly: Bool

    /// - Throws: ``Refusal``.
    func carryOut() throws {
        do {
            let columns = try TraceReader(path: path, format: format, options: options).columns
            var wanted = options
            // Columns that are lost anyway need not be readable.
            wanted.columns = target.columns.union(.operation)
            var trace = try NumberedTrace(path: path, format: format, options: wanted)
            try settleOperations(of: &trace)
            for loss in losses(of: trace, columns) {
                StandardError.write("\(output): \(target.rawValue) holds no \(loss)")
            }
            try TraceWriter.write(trace, path: output, format: target, compression: compression)
            StandardError.write("\(output): \(trace.count) requests, \(trace.keyCount) keys")
        } catch let error as TraceError {
            if error.reason == .interrupted { StandardError.write("Interrupted; \(output) was not written") }
            throw Refusal("\(error)", error.path == output ? .harnessTrouble : .badInput)
        }
    }

    /// Other operations must not silently become reads: a replay would count them as lookups.
    private func settleOperations(of trace: inout NumberedTrace) throws {
        guard let operations = trace.operations else { return }
        let writes = operations.count { $0 == .write }
        let removals = operations.count { $0 == .remove }
        let others = "\(Self.count(writes, "write")) and \(Self.count(removals, "removal"))"
        if readsOnly {
            trace = trace.readsOnly()
            guard trace.count > 0 else { throw Refusal("\(path): holds no reads, only \(others)") }
            StandardError.write("\(output): without \(others)")
        } else if !target.columns.contains(.operation) {
            throw Refusal(
                "\(path): \(others) would become reads in \(target.rawValue); write csv or tsv, or leave them out with "
                    + "'--reads-only'")
        }
    }

    private static func count(_ count: Int, _ word: String) -> String { "\(count) \(word)\(count == 1 ? "" : "s")" }

    /// The information of the trace that the format can't hold.
    private func losses(of trace: NumberedTrace, _ columns: TraceColumns) -> [String] {
        let lost = columns.subtracting(target.columns)
        var losses: [String] = []
        if lost.contains(.time) { losses.append("times") }
        if lost.contains(.size) { losses.append("sizes") }
        if lost.contains(.lifetime) { losses.append("lifetimes") }
        if target == .oracleGeneral {
            if trace.keyTexts != nil { losses.append("texts: keys are their numbers") }
            if trace.timesNanoseconds?.contains(where: { $0 % 1_000_000_000 != 0 }) == true {
                losses.append("fractions of a second")
            }
        }
        return losses
    }
}
