import Foundation
import Reports
import Testing
import TrialSessions

/// A small sweep with deterministic counts, run whole and in shards.
struct ShardedSweep {
    let folder: TemporaryFolder
    let scenarios: [String]
    /// Answers in place of children; `nil` for real trials.
    private let trials: StartChild?

    init(trials: StartChild? = nil) throws {
        self.trials = trials
        let folder = try TemporaryFolder()
        self.folder = folder
        scenarios = try ["first", "second"].enumerated().map { index, name in
            try folder.write(Self.scenario(seed: index + 1), to: "\(name).yaml")
        }
    }

    static func scenario(seed: Int, clients: Int = 1, strategies: String = "lru, none") -> String {
        """
        title: A small one whose counts repeat
        seed: \(seed)
        repetitions: 2
        keys: { kind: string, count: 300, popularity: { zipf: 1.0 } }
        values: { kind: bytes, size: 1 KiB }
        capacity: { entries: 50 }
        origin: { kind: memory }
        strategies: [\(strategies)]
        phases:
          - { name: warm-up, warm-up: true, operations: 100, clients: \(clients), mix: { load: 1 } }
          - { name: counted, operations: 400, clients: \(clients), mix: { read: 2, load: 6, write: 1, remove: 1 } }

        """
    }

    func path(_ name: String) -> String { "\(folder.path)/\(name)" }

    /// Runs everything on this machine.
    func runWhole(_ flags: String...) async throws -> String {
        try await expect(0, ["run"] + scenarios + ["--output", path("whole"), "--quiet"] + flags)
        return path("whole")
    }

    /// The command line of a shard.
    func shard(_ number: Int, of count: Int, verb: String = "run", _ flags: String...) -> [String] {
        [verb] + scenarios + ["--shard", "\(number)/\(count)", "--output", path("r/\(number)"), "--quiet"] + flags
    }

    /// Merges all results that are present.
    func merge(_ results: String = "r") async throws -> String {
        let names = try FileManager.default.contentsOfDirectory(atPath: path(results)).sorted()
        try await expect(0, ["merge"] + names.map { path("\(results)/\($0)") } + ["--output", path("merged")])
        return path("merged")
    }

    /// Runs the program and expects an exit code.
    @discardableResult
    func expect(_ exitCode: Int32, _ arguments: [String]) async throws -> Program.Ending {
        let ending = await Program.here(arguments, trials: trials)
        #expect(ending.exitCode == exitCode, "\(arguments): \(ending.errors)")
        return ending
    }

    /// Runs a command line of the page, in which `cache-trials` is this program and `$CLUSTERS` holds the scripts that
    /// start clusters.
    func run(_ shell: String) async throws {
        let ending = try await Program.start(
            [], in: folder.path,
            shell: #"mkdir -p bin && ln -sf "$PROGRAM" bin/cache-trials && PATH=$PWD/bin:$PATH && "# + shell,
            environment: ["PROGRAM": Program.path, "CLUSTERS": "\(Program.root)/Tests/Program/Clusters"]
        ).ending()
        #expect(ending.exitCode == 0, "\(ending.output)\(ending.errors)")
    }

    /// The cells of all deterministic columns, row by row and file by file.
    static func repeating(at path: String) throws -> [String: [[String]]] {
        var cells: [String: [[String]]] = [:]
        for file in ResultFile.ofRun {
            let names = Set(
                ColumnCatalog.descriptions.filter { $0.file == file.rawValue && $0.repeats }.map(\.name))
            guard !names.isEmpty else { continue }
            let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: "\(path)/\(file.rawValue)")))
            let records = try CSVReader.read(bytes, ending: .complete).records.map(\.fields)
            let columns = (records.first ?? []).indices.filter { names.contains(records[0][$0]) }
            cells[file.rawValue] = records.map { record in columns.map { record[$0] } }
        }
        return cells
    }

    /// Expects that a merged folder has the same results as one run of everything.
    static func expectEqual(_ merged: String, _ whole: String) throws {
        let (left, right) = (try repeating(at: merged), try repeating(at: whole))
        #expect(left.count == 4)
        for (name, rows) in right {
            #expect(rows.count > 8, "\(name)")
            #expect(left[name] == rows, "\(name)")
        }
        for folder in [ConsistencyEntry.folder, "histograms"] {
            let names = [merged, whole].map {
                (try? FileManager.default.contentsOfDirectory(atPath: "\($0)/\(folder)")) ?? []
            }
            #expect(Set(names[0]) == Set(names[1]))
        }
    }
}
