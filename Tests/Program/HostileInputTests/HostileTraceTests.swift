import Foundation
import TestTiers
import Testing

/// Bad traces of every format, compressed and not: each is refused by name, quickly, and leaves no result.
@Suite(.timeLimit(.minutes(10)), .serialized)
struct HostileTraceTests {
    static let committed = CommittedFiles("Traces")

    @Test func `there are bad traces of every format and every compression`() {
        let files = Self.committed.files
        #expect(files.count >= 40)
        for format in ["arc", "lirs", "oracleGeneral", "cache2k", "csv", "tsv", "keys", "twitter", "msr"] {
            #expect(files.contains { $0.contains(".\(format)") }, "\(format)")
        }
        for packing in ["gz", "xz", "zst"] { #expect(files.count { $0.hasSuffix(".\(packing)") } >= 10) }
        #expect(files.count { $0.hasPrefix("bomb.") } == 3)
    }

    @Test(arguments: committed.files)
    func `a bad trace is refused with its name and the reason`(file: String) async throws {
        let folder = try TemporaryFolder()
        // This conversion needs every column, and must leave no file when the trace is bad.
        let ending = try await MeasuredProgram.reading(
            in: Self.committed.folder, isProcess: file.hasPrefix("bomb.")
        ) { ["convert", $0(file), "--to", "csv", "--output", "\(folder.path)/converted.csv"] }
        ending.expectOrderly(file)
        #expect(folder.contents().isEmpty)
        #expect(ending.exitCode == 65, "\(file): \(ending.output)")
        #expect(ending.output == "")
        #expect(ending.errors.count == 1)
        let lines = ending.errors.map { $0.replacing("cache-trials: error: ", with: "", maxReplacements: 1) }
        for line in lines { #expect(line.hasPrefix("\(file):"), "\(line)") }
        if CommittedFiles.isUpdating { return try Self.committed.update(file, lines) }
        #expect(try Self.committed.expectations()[file] == lines)
    }

    @Test func `replay refuses all traces whose keys it can't read, and writes no row`() async throws {
        let folder = try TemporaryFolder()
        var refused = 0
        // Each is a start of the program, so the first tier has every fourth.
        let every = TestTier.isNightly ? 1 : 4
        let files = Self.committed.files.enumerated().filter { $0.offset.isMultiple(of: every) }.map(\.element)
        for file in files {
            let path = "\(Self.committed.folder)/\(file)"
            let ending = try await MeasuredProgram.reading(in: folder.path) {
                ["replay", path, "--policies", "lru", "--output", $0("out")]
            }
            ending.expectOrderly(file)
            if ending.exitCode == 65 {
                refused += 1
                #expect(ending.errors.contains { $0.contains(path) }, "\(file): \(ending.errors)")
                let rows = try? String(contentsOfFile: "\(folder.path)/out/replay.csv", encoding: .utf8)
                #expect((rows?.split(separator: "\n").count ?? 0) <= 1, "\(file)")
            } else {
                // Times and lifetimes are not read when they are not needed.
                #expect(ending.exitCode == 0 && (file.contains("time") || file.contains("lifetime")), "\(file)")
            }
            try? FileManager.default.removeItem(atPath: "\(folder.path)/out")
            #expect(folder.contents().isEmpty)
        }
        #expect(refused * every > 80)
    }
}
