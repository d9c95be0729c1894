import CacheStrategies
import Foundation
import Locks
import Origins
import Platform
import TrialLoop
package import TrialModel
import WorkloadGeneration

/// What all trials of a session share: the fixture server, the files of keys, and temporary folders.
struct TrialHost {
    let program: ChildProgram
    let deadline: Duration?
    private let servers: CacheServers?
    private let callgrind: Callgrind?
    let scratch: ScratchFolder
    var tables: KeyTableFiles
    private var server: FixtureServerProcess?
    /// The program without debug information, for Callgrind.
    var stripped: String?
    /// The folder of the files with sizes and lifetimes of keys.
    private static let keyTables = "keys"

    /// - Parameters:
    ///   - deadline: the time without progress after which a trial counts as hung; `nil` takes a generous limit from its scenario.
    ///   - servers: servers that already run.
    ///   - callgrind: counts instructions; `nil` when times are measured.
    /// - Throws: ``HarnessError`` when there is no place for its files.
    init(
        program: ChildProgram, deadline: Duration?, servers: CacheServers? = nil, callgrind: Callgrind? = nil
    ) throws {
        self.program = program
        self.deadline = deadline
        self.servers = servers
        self.callgrind = callgrind
        scratch = try ScratchFolder()
        tables = KeyTableFiles(folder: scratch.path(Self.keyTables))
    }

    /// Runs one trial in a process of its own.
    mutating func run(_ entry: RunPlan.Entry) async throws -> TrialOutcome {
        if let callgrind { return try await run(entry, under: callgrind) }
        let (specification, settings) = try await prepare(entry)
        let outcome = try await program.run(specification, settings)
        await note(outcome)
        return outcome
    }

    /// Starts one trial that takes turns with others; it waits for its first turn.
    mutating func start(_ entry: RunPlan.Entry) async throws -> TurnTakingTrial {
        var (specification, settings) = try await prepare(entry, folder: "trial of \(entry.identity.strategy)")
        specification.turns = entry.scenario.turns(inRound: entry.identity.repetition)
        settings.turnWatch = Locked(Stopwatch(isRunning: true))
        return try await TurnTakingTrial.start(program, specification, settings)
    }

    /// Prepares what a trial needs before it can start.
    ///
    /// - Parameter folder: the name of its folder, which differs from those of trials that run at the same time.
    private mutating func prepare(
        _ entry: RunPlan.Entry, folder: String = "trial"
    ) async throws -> (TrialSpecification, ChildSettings) {
        let (identity, scenario) = (entry.identity, entry.scenario)
        if scenario.origin.kind == .server, server == nil {
            server = try await FixtureServerProcess.start(
                executable: program.path, keyTables: scratch.path(Self.keyTables))
        }
        let prepared = try tables.prepare(scenario)
        // Three times its expected duration, and time for a slow machine to start a process.
        let limit = deadline ?? scenario.expectedDuration * 3 + .seconds(30) + (scenario.check ? Self.judging : .zero)
        let specification = TrialSpecification(
            identity: identity, scenario: prepared,
            originAddress: scenario.origin.kind == .server ? server?.address : nil,
            directory: try scratch.fresh(folder),
            servers: servers?.ofTrial(identity))
        return (specification, ChildSettings(environment: Self.environment, deadline: limit))
    }

    /// Caches hash with a secret of their process. With a known one, what one client asks for has the same hits in every run.
    private static let environment = ["SWIFT_DETERMINISTIC_HASHING": "1"]

    /// A trial has ended.
    mutating func note(_ outcome: TrialOutcome) async {
        if outcome.results.contains(where: { $0.trial.status != .completed && !$0.isHarnessLimited }) {
            // The server may be at fault, or may still be busy with the trial; the next trial gets a new server.
            await stopServer()
        }
    }

    /// The longest time to judge a history.
    private static let judging = Duration.seconds(60)

    /// Stops the server and removes the folders.
    mutating func close() async {
        await stopServer()
        scratch.remove()
    }

    private mutating func stopServer() async {
        await server?.stop()
        server = nil
    }
}

extension CacheServers {
    /// The same servers with a key prefix for this trial, so that no trial finds entries of another one.
    fileprivate func ofTrial(_ identity: TrialIdentity) -> CacheServers {
        var servers = self
        servers.namespace += ":\(identity.scenario).\(identity.strategy).\(identity.repetition)"
        return servers
    }
}

/// A temporary folder of the run, with an empty folder for each trial.
struct ScratchFolder: Sendable {
    private let root: URL

    /// Makes a new folder that only this user can access, so that no other user can plant files in it.
    init() throws {
        let parent = FileManager.default.temporaryDirectory.path
        var template = Array("\(parent)/cache-trials-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw HarnessError(
                "can't make a temporary folder in \(parent); free some space there, or set TMPDIR to another folder")
        }
        let path = template.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        root = URL(fileURLWithPath: String(decoding: path, as: UTF8.self), isDirectory: true)
    }

    /// The path of a file or folder with a name.
    func path(_ name: String) -> String { root.appendingPathComponent(name).path }

    /// Removes the files of the last trial, and makes an empty folder for the next.
    ///
    /// - Parameter name: one of the trial's folders.
    func fresh(_ name: String = "trial") throws -> String {
        let folder = root.appendingPathComponent(name, isDirectory: true)
        try? FileManager.default.removeItem(at: folder)
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        } catch {
            throw HarnessError("can't make the folder \(folder.path); free some space there, or set TMPDIR")
        }
        return folder.path
    }

    func remove() {
        try? FileManager.default.removeItem(at: root)
    }
}

/// Writes the sizes and lifetimes of keys in traces to files that all trials of a session and the fixture server read,
/// so that a value is the same everywhere, and the server need not read traces.
package struct KeyTableFiles {
    private let folder: String
    /// The files so far, by trace.
    private var paths: [KeyTrace: String] = [:]

    /// - Parameter folder: the folder of the files, created with the first one. Its files must stay while the session
    ///   lasts.
    package init(folder: String) {
        self.folder = folder
    }

    /// The scenario with the file of its keys, if its trace has sizes or lifetimes. Reads each trace once.
    ///
    /// - Throws: `TraceWorkloadError`, `KeyTableError`.
    package mutating func prepare(_ scenario: Scenario) throws -> Scenario {
        guard scenario.values.traced != nil, let trace = scenario.keys.trace else { return scenario }
        var prepared = scenario
        prepared.values.traced?.path = try path(for: trace, of: scenario)
        prepared.values.traced?.speed = trace.speed
        return prepared
    }

    private mutating func path(for trace: KeyTrace, of scenario: Scenario) throws -> String {
        if let known = paths[trace] { return known }
        let workload = try TraceWorkload(trace)
        try workload.check(against: scenario.keys)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let path = "\(folder)/\(paths.count).keys"
        try KeyTable(sizes: workload.keySizes, lifetimes: workload.keyLifetimes).write(to: path)
        paths[trace] = path
        return path
    }
}
