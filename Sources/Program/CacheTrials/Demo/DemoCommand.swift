import ArgumentParser
import BuiltInStrategies
import Foundation
import Reports
import TimedStrategies
import TrialModel
import TrialSessions

/// `demo`: three caches under one workload, in a minute and without any file.
struct DemoCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Shows three caches under one moving workload, in less than a minute.",
        discussion: """
            Examples:
              \(ThisProgram.name) demo
              \(ThisProgram.name) demo --output Results/demo

            The popular keys change every second. Each cache has room for 150 entries; its
            origin is in memory first, and then a server behind HTTP. The folder of results
            has the scenario, the figures as CSV, and a page. To change something, run the
            scenario: \(ThisProgram.name) run FOLDER/demo.yaml
            """)

    @OptionGroup var output: OutputArguments

    func carryOut() async throws -> TrialExitCode {
        let scratch = FileManager.default.temporaryDirectory.appending(path: "cache-trials-demo-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: scratch) }
        let paths = try DemoScenario.write(to: scratch)
        var arguments = ScenarioArguments()
        arguments.scenarios = paths
        let files = try arguments.read(strategies: StrategyRegistry.knownNames)
        let chosen = DemoScenario.strategies.compactMap { StrategyRegistry.current[$0] }
        let folder = output.folder
        var work = RunWork(
            request: RunRequest(files: files, chosen: chosen, repetitions: 1), output: folder, resume: false,
            quiet: output.quiet, deadline: nil)
        let narration = DemoNarration()
        work.narration = RunWork.Narration(
            opening: narration.opening, afterTrial: { narration.line(of: $0) }, closing: { narration.closing($0) })
        let code = try await work.carryOut(format: .table)
        // Beside the results, for a reader who wants to change it.
        if let path = paths.first {
            try ResultFolder.writeText(
                try String(contentsOfFile: path, encoding: .utf8), to: "\(folder)/\(DemoScenario.fileName)")
        }
        return code
    }
}

/// The scenario of the demo, once for each place of its origin.
enum DemoScenario {
    static let strategies = ["barrier-nscache", "lru", "shared+lru"]
    static let fileName = "demo.yaml"
    /// The scenario with an origin in memory.
    static let inMemory = "demo"
    /// The scenario with a server.
    static let overHTTP = "demo-over-http"

    /// Writes the files into a new folder.
    ///
    /// - Returns: their paths; without the trait HTTP there is one.
    static func write(to folder: URL) throws -> [String] {
        let text = String(decoding: PackageResources.demo_yaml, as: UTF8.self)
        var texts = [(inMemory, text)]
        #if HTTP
            texts.append((overHTTP, text.replacing("origin: { kind: memory", with: "origin: { kind: server")))
        #endif
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return try texts.map { name, text in
            let file = folder.appending(path: "\(name).yaml")
            try Data(text.utf8).write(to: file)
            return file.path(percentEncoded: false)
        }
    }
}

/// What the demo says about results.
struct DemoNarration {
    private static let blocks = Array("▁▂▃▄▅▆▇█")
    private static let nameWidth = 16

    /// What is about to happen.
    var opening: String {
        """
        Three caches with room for 150 entries answer 1,000 lookups a second. Every second, 100 other keys become popular.
        One lookup in ten has eight callers at once. A miss takes 1 ms.

        origin      cache            hits, a block for each 200 ms    hit ratio  requests to the origin
        ──────────  ───────────────  ───────────────────────────────  ─────────  ──────────────────────

        """
    }

    /// The line of a trial that ended.
    func line(of result: PhaseResult) -> String {
        let place = result.trial.key.scenario.name == DemoScenario.overHTTP ? "over HTTP" : "in memory"
        let name = result.trial.key.strategy
        let head = place.padded(to: 12) + name.padded(to: Self.nameWidth + 1)
        guard result.trial.status == .completed, let row = result.hitRate, let ratio = row.hitRatio else {
            return head + "\(result.trial.status.rawValue): \(result.trial.reason)\n"
        }
        let intervals = result.timeline.filter { $0.operation == .all && $0.hits &+ $0.misses > 0 }
        let curve = String(intervals.map { Self.block($0.hits, of: $0.hits &+ $0.misses) }.prefix(31))
        let requests = row.originLoads.map { Quantity.count($0) } ?? ""
        return head + curve.padded(to: 33) + Self.percent(ratio).leftPadded(to: 9) + requests.leftPadded(to: 24) + "\n"
    }

    /// What the results show, in sentences that they decide.
    func closing(_ results: [PhaseResult]) -> String {
        let own = results.filter {
            $0.trial.key.scenario.name == DemoScenario.inMemory && $0.trial.status == .completed
        }
        func row(_ name: String) -> HitRateRow? {
            own.first { $0.trial.key.strategy == name && $0.hitRate != nil }?.hitRate
        }
        var lines: [String] = []
        if let cache = row("barrier-nscache")?.hitRatio, let lru = row("lru")?.hitRatio {
            if cache < lru / 2 {
                lines.append(
                    "NSCache on Linux refuses new keys when it is full: it hits in \(Self.percent(cache)) of the lookups, lru in "
                        + "\(Self.percent(lru)).")
            } else {
                lines.append(
                    "barrier-nscache hits in \(Self.percent(cache)) of the lookups, lru in \(Self.percent(lru)).")
            }
        }
        if let plain = row("lru")?.originLoads, let shared = row("shared+lru")?.originLoads, shared < plain {
            lines.append(
                "Callers that miss one key at once share a load in shared+lru: it sends \(Quantity.count(shared)) requests to "
                    + "the origin, lru \(Quantity.count(plain)).")
        }
        return lines.isEmpty ? "" : "\n" + lines.joined(separator: "\n") + "\n"
    }

    private static func block(_ part: UInt64, of whole: UInt64) -> Character {
        let share = Double(part) / Double(max(whole, 1))
        return blocks[min(Int(share * Double(blocks.count)), blocks.count - 1)]
    }

    private static func percent(_ share: Double) -> String { "\(Int((share * 100).rounded())) %" }
}

extension String {
    /// The text with blanks after it.
    fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
    /// The text with blanks before it.
    fileprivate func leftPadded(to width: Int) -> String { String(repeating: " ", count: max(0, width - count)) + self }
}
