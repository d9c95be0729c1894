import ArgumentParser
import CacheStrategies
import EvictionPolicies
import Foundation
import Platform
import ReportPage
import Reports
import ScenarioFiles
import Traces
import TrialModel

/// `advise`: which policy to take for a trace, how large, and what it is worth.
struct AdviseCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "advise",
        abstract: "Advises a policy and a size for a recorded trace, with its confidence.",
        discussion: """
            Examples:
              \(ThisProgram.name) advise traffic.csv.gz
              \(ThisProgram.name) advise traffic.csv.gz --budget 64MiB --origin-time 40ms
              \(ThisProgram.name) advise traffic.csv.gz --origin-time 40ms --worth 1ms/MiB
              \(ThisProgram.name) advise OLTP.lis.zst --budget 5000 --page advice.html
              \(ThisProgram.name) advise traffic.csv.gz --budget 5000 --write-scenario a.yaml
              \(ThisProgram.name) advise meter.json   the report of a CacheMeter in an app

            The policy is the simplest one that is not worse than the best, beyond chance
            and 0.3 percentage points (pp). Without a budget, the size is where twice the
            memory gains less than 1 pp of the hit ratio, or where memory brings less than
            --worth. Every number has its error. Longer traces than two million requests
            are replayed in miniature. Ends with 1 when the data is insufficient, and
            prints what to record instead.
            """)

    @OptionGroup var files: TraceArguments

    @Option(
        help: ArgumentHelp(
            "The size of the cache: entries (1000), a share of the keys (5%) or bytes (64MiB). (default: advised)",
            valueName: "size"))
    var budget: String?

    @OptionGroup var cost: MissCostArguments

    @Option(
        help: ArgumentHelp(
            "The time that memory must save for each request to be worth it, such as 1ms/MiB or 0.1ms/1000 entries; needs --origin-time.",
            valueName: "time"))
    var worth: String?

    @Option(help: ArgumentHelp("The seed of a sample and of the errors.", valueName: "n"))
    var seed: UInt64 = 1

    @Option(help: ArgumentHelp("How many threads replay at once, from 1 to 256. (default: one a core)", valueName: "n"))
    var jobs: Int?

    @Option(help: "The format of the output.")
    var format = TableFormat.table

    @Option(
        help: ArgumentHelp("Also write a page with the curve and the advice.", valueName: "file"),
        completion: .file(extensions: ["html"]))
    var page: String?

    @Option(
        help: ArgumentHelp(
            "Also write a scenario that tests the advice with clocks, callers and an origin.", valueName: "file"),
        completion: .file(extensions: ["yaml"]))
    var writeScenario: String?

    func validate() throws {
        guard files.traces.count == 1 else {
            throw ValidationError("'advise' takes one trace at a time; there are \(files.traces.count).")
        }
        try files.requireFiles(for: "advise")
        _ = try request()
        if isMeter {
            guard files.optionsText == TraceArguments.defaultText else {
                throw ValidationError(
                    "\(files.traces[0]) is the report of a meter, and no option says how to read it; leave them out.")
            }
            guard writeScenario == nil else {
                throw ValidationError(
                    "'--write-scenario' needs a trace to replay, and a meter keeps counts; record one with TraceRecorder."
                )
            }
        }
        if page?.isEmpty == true { throw ValidationError("'--page' needs the name of a file.") }
        if let writeScenario {
            guard !writeScenario.isEmpty else { throw ValidationError("'--write-scenario' needs the name of a file.") }
            guard !FileManager.default.fileExists(atPath: writeScenario) else {
                throw ValidationError("'--write-scenario': \(writeScenario) exists; name a new file.")
            }
        }
    }

    func carryOut() async throws -> TrialExitCode {
        try files.requireColumnsToFit()
        let ending = await Interruption.cancelling { try await WorkThread.run(advise) }
        if case .ended(let code) = ending { return code }
        return ending.exitCode
    }

    private func request() throws -> AdviceRequest {
        var request = AdviceRequest()
        request.seed = seed
        try NumberArgument.check(jobs, "jobs", in: 1...256)
        if let jobs { request.jobs = jobs }
        request.missCost = try cost.missCost()
        if let budget {
            guard let capacity = ReplayCapacity(budget) else {
                throw ValidationError(
                    "'--budget \(budget)' is not a size; write entries (1000), a share of the keys (5%) or bytes (64MiB)."
                )
            }
            request.budget = capacity
        }
        guard let worth else { return request }
        guard budget == nil else {
            throw ValidationError("'--worth' chooses a size, and '--budget' gives one; name one of them.")
        }
        guard request.missCost != nil else {
            throw ValidationError("'--worth' compares time with memory; name what a miss takes with --origin-time.")
        }
        request.worth = try Self.worth(worth)
        return request
    }

    /// Reads a worth, such as `1ms/MiB` or `0.1ms/1000 entries`.
    ///
    /// - Throws: `ValidationError`.
    private static func worth(_ text: String) throws -> AdviceWorth {
        let parts = text.split(separator: "/", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
        guard parts.count == 2, let time = DecimalText(parts[0]), let nanoseconds = time.nanoseconds,
            (1...3_600_000_000_000).contains(nanoseconds)
        else {
            throw ValidationError("'--worth \(text)': write a time for each MiB or 1000 entries, such as 1ms/MiB.")
        }
        switch parts[1] {
        case "MiB": return .perMebibyte(Double(nanoseconds))
        case "1000", "1000 entries": return .perThousandEntries(Double(nanoseconds))
        default:
            throw ValidationError("'--worth \(text)': write a time for each MiB or 1000 entries, such as 1ms/MiB.")
        }
    }

    /// Whether the file is the report of a meter in an app.
    private var isMeter: Bool { files.traces.first?.lowercased().hasSuffix(".json") == true }

    /// A report has some 100 KB.
    private static let meterByteCountMax = 16 << 20

    /// - Throws: ``Refusal``, or ``AdviceError``.
    private func meterAdvice() throws -> TraceAdvice {
        let path = files.traces[0]
        let opened: (descriptor: Int32, status: stat)
        do throws(RegularFile.Obstacle) {
            opened = try RegularFile.opened(path)
        } catch {
            throw Refusal("\(path): \(error.message)")
        }
        let handle = FileHandle(fileDescriptor: opened.descriptor, closeOnDealloc: true)
        guard let json = try handle.read(upToCount: Self.meterByteCountMax), json.count < Self.meterByteCountMax else {
            throw Refusal("\(path): is empty, or larger than 16 MiB, and no report of a meter is")
        }
        let report: MeterReport
        do throws(MeterFileError) {
            report = try MeterReport(json: json)
        } catch {
            throw Refusal("\(path): \(error)")
        }
        return try TraceAdvice(report, request: request())
    }

    /// - Throws: ``Refusal``.
    private func advise() throws -> TrialExitCode {
        let advice: TraceAdvice
        do {
            advice =
                try isMeter
                ? meterAdvice()
                : TraceAdvice(
                    path: files.traces[0], format: files.format(), options: files.options(), request: request())
        } catch let error as AdviceError {
            throw Refusal("\(error)")
        } catch let error as TraceError {
            throw Refusal("\(error)")
        }
        let report = AdviceReport(advice: advice, trace: files.names[0], missCost: try cost.missCost())
        // First what the time went into, so that a path that can't be written loses nothing.
        try StandardOutput.write(report.table.rendered(as: format, width: StandardOutput.width))
        if let page { try ResultFolder.writeText(report.page, to: page) }
        guard advice.refusal == nil else { return .gateFailed }
        if let writeScenario {
            try AdviceScenario(
                advice: advice, trace: files.traces[0], format: files.format(), missCost: cost.missCost(),
                file: writeScenario
            ).write()
        }
        return .passed
    }
}
