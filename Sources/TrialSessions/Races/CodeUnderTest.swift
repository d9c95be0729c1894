import Foundation
import Races
import TrialModel

/// Which places in a report belong to a strategy, and how they are shown.
struct CodeUnderTest: Sendable {
    /// The code under test in this process's folder.
    static let current = CodeUnderTest()

    let roots: SourceRoots
    private let root: String

    /// Everything but the harness, its dependencies and the toolchain.
    private init() {
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().path
        let current = FileManager.default.currentDirectoryPath
        // Another package is shown relative to its own folder, where its command runs.
        root = FileManager.default.fileExists(atPath: "\(current)/Package.swift") ? current : package
        let harness = [
            "BuiltInStrategies/Registry", "CacheTrials", "Locks", "Measurement", "Origins", "Races/Controls/Drivers",
            "Races/Sanitizer", "TimedStrategies", "TrialLoop", "TrialModel", "TrialSessions", "WorkloadGeneration",
            "cache-trials",
        ]
        roots = SourceRoots(root: root, otherFolders: harness.map { "\(package)/Sources/\($0)/" })
    }

    /// The race for readers, with paths relative to the root.
    func finding(_ race: DistinctRaces.Race) -> RaceFinding {
        let report = race.firstReport
        return RaceFinding(
            accesses: report.accesses.map { access in
                let frame = place(of: access)
                return RaceFinding.Access(
                    what: access.description, location: frame.map(text) ?? "",
                    function: frame?.function ?? access.frames.first?.function ?? "")
            },
            count: race.count, report: shortened(report.text))
    }

    /// The first place in the code under test; a race has one unless only the harness saw it.
    func location(of races: [DistinctRaces.Race]) -> String {
        let ours = races.first { race in race.firstReport.accesses.contains { place(of: $0) != nil } }
        return (ours ?? races.first).map { $0.firstReport.location(in: roots).description } ?? ""
    }

    private func place(of access: MemoryAccess) -> StackFrame? { roots.innermost(of: access.frames) }

    private func text(_ frame: StackFrame) -> String {
        let file = frame.file.map(roots.displayPath) ?? ""
        return frame.line.map { "\(file):\($0)" } ?? file
    }

    /// The report without machine-specific parts that carry no information.
    private func shortened(_ report: String) -> String {
        report.replacing("\(root)/", with: "").replacing(#/\ \(BuildId: [0-9a-f]+\)/#, with: "")
    }
}
