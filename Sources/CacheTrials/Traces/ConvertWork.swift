import ArgumentParser
import Traces
import TrialModel

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

    /// - Throws: an exit code, with the reason on standard error.
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
            if error.reason == .interrupted {
                StandardError.write("Interrupted; \(output) was not written")
            } else {
                StandardError.error("\(error)")
            }
            let isOutput = error.path == output
            throw ExitCode((isOutput ? TrialExitCode.harnessTrouble : .badInput).rawValue)
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
            guard trace.count > 0 else { throw badInput("\(path): holds no reads, only \(others)") }
            StandardError.write("\(output): without \(others)")
        } else if !target.columns.contains(.operation) {
            throw badInput(
                "\(path): \(others) would become reads in \(target.rawValue); write csv or tsv, or leave them out with "
                    + "'--reads-only'")
        }
    }

    private static func count(_ count: Int, _ word: String) -> String { "\(count) \(word)\(count == 1 ? "" : "s")" }

    private func badInput(_ message: String) -> ExitCode {
        StandardError.error(message)
        return ExitCode(TrialExitCode.badInput.rawValue)
    }

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
