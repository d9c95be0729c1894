import BuiltInStrategies
import Foundation
import ScenarioFiles
import TestTiers
import Testing
import TimedStrategies

@testable import CacheTrials

/// Bad scenario files: each is refused with the place of every mistake, quickly, and leaves no files.
@Suite(.timeLimit(.minutes(10)), .serialized)
struct HostileScenarioTests {
    static let committed = CommittedFiles("Scenarios")

    @Test func `there are more than two hundred of them, of ten kinds`() throws {
        #expect(Self.committed.files.count >= 200)
        #expect(Set(Self.committed.files.compactMap { $0.split(separator: "/").first }).count == 10)
    }

    @Test(arguments: committed.files)
    func `a bad scenario is refused with the place of every mistake`(file: String) async throws {
        let errors: [String]
        if TestTier.isNightly || (Self.committed.files.firstIndex(of: file) ?? 0).isMultiple(of: 40) {
            let ending = try await MeasuredProgram.run(["validate", file], in: Self.committed.folder)
            ending.expectOrderly(file)
            #expect(ending.exitCode == 65, "\(file): \(ending.output) \(ending.errors)")
            #expect(ending.output == "")
            errors = ending.errors
        } else {
            errors = Self.mistakes(in: file)
        }
        #expect(!errors.isEmpty)
        for line in errors {
            #expect(line.hasPrefix("\(file):") && line.contains(Self.place) && line.contains(", allowed: "), "\(line)")
        }
        // The list of allowed names contains all keys and strategies, which grow; the tests of the reader cover it.
        let found = errors.map { String($0[..<($0.range(of: ", allowed: ")?.lowerBound ?? $0.endIndex)]) }
        if CommittedFiles.isUpdating { return try Self.committed.update(file, found) }
        #expect(try Self.committed.expectations()[file] == found)
    }

    private static let reader = ScenarioArguments.reader(strategies: StrategyRegistry.knownNames)

    /// The lines that `validate` writes about a file, read in the process of the tests.
    private static func mistakes(in file: String) -> [String] {
        do throws(ScenarioFileError) {
            _ = try reader.points(path: "\(committed.folder)/\(file)")
            return []
        } catch {
            return error.mistakes.map { $0.description.replacing("\(committed.folder)/", with: "") }
        }
    }

    /// A line and a column.
    private static var place: Regex<Substring> { #/^[^:]+:[1-9][0-9]*:[1-9][0-9]*: /# }

    @Test func `run refuses all of them together, and makes no folder`() async throws {
        let folder = try TemporaryFolder()
        let files = Self.committed.files.map { "\(Self.committed.folder)/\($0)" }
        let ending = try await MeasuredProgram.run(["run"] + files + ["--output", "out"], in: folder.path)
        #expect(ending.exitCode == 65)
        #expect(ending.signal == nil)
        #expect(ending.residentBytesMax < MeasuredProgram.residentBytesMax)
        #expect(folder.contents().isEmpty)
        for file in files { #expect(ending.errors.contains { $0.hasPrefix("\(file):") }, "\(file)") }
    }

    /// Files that a repository can't contain: special, without permissions, or huge.
    enum Recipe: String, CaseIterable, Sendable {
        case fifo, folder, danglingLink, linkToItself, linkToZeros, socketName, hugeLine, hugeList, sparseTerabyte,
            noSuchFile, nameOf4096Bytes, belowAFile

        func make(in folder: TemporaryFolder) throws -> String {
            let path = "\(folder.path)/bad.yaml"
            switch self {
            case .fifo: #expect(mkfifo(path, 0o600) == 0)
            case .folder: try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            case .danglingLink: #expect(symlink("nowhere", path) == 0)
            case .linkToItself: #expect(symlink("bad.yaml", path) == 0)
            case .linkToZeros: #expect(symlink("/dev/zero", path) == 0)
            case .socketName: #expect(mknod(path, S_IFSOCK | 0o600, 0) == 0)
            case .hugeLine: try folder.write(Data(repeating: 0x78, count: 100 << 20), to: "bad.yaml")
            case .hugeList: try folder.write(Array(String(repeating: "- a\n", count: 1 << 20).utf8), to: "bad.yaml")
            case .sparseTerabyte:
                try folder.write([], to: "bad.yaml")
                #expect(truncate(path, 1 << 40) == 0)
            case .noSuchFile: break
            case .nameOf4096Bytes: return "\(folder.path)/" + String(repeating: "a/", count: 2048)
            case .belowAFile: return "\(try folder.write([], to: "file"))/bad.yaml"
            }
            return path
        }
    }

    @Test(arguments: Recipe.allCases) func `a file that is not plain is refused at once`(recipe: Recipe) async throws {
        let folder = try TemporaryFolder()
        let path = try recipe.make(in: folder)
        let before = folder.contents()
        let ending = try await MeasuredProgram.run(["validate", path], in: folder.path)
        ending.expectOrderly(recipe.rawValue)
        #expect(ending.exitCode == 65)
        #expect(ending.errors.count == 1, "\(ending.errors)")
        #expect(ending.errors.first?.contains("bad.yaml") == true || recipe == .nameOf4096Bytes, "\(ending.errors)")
        #expect(folder.contents() == before)
    }

    @Test func `an endless trace is refused when a scenario names it`() async throws {
        let folder = try TemporaryFolder()
        #expect(mkfifo("\(folder.path)/trace.csv", 0o600) == 0)
        let scenario = """
            title: Hostile
            keys: { kind: url, trace: trace.csv }
            values: { kind: bytes, size: 1 KiB }
            capacity: { entries: 100 }
            origin: { kind: memory }
            phases:
              - { name: main, operations: 10, mix: trace }

            """
        let path = try folder.write(Array(scenario.utf8), to: "bad.yaml")
        let ending = try await MeasuredProgram.run(["validate", path], in: folder.path)
        ending.expectOrderly("FIFO")
        #expect(ending.exitCode == 65)
        #expect(ending.errors.first?.hasPrefix("\(path):2:27: keys.trace: ") == true, "\(ending.errors)")
    }
}
