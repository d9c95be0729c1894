import Foundation
import Testing
import TrialModel

/// All findings of the fuzzer, and the inputs with the best coverage of each parser, read again in every test run.
@Suite(.timeLimit(.minutes(2)), .serialized)
struct FuzzRegressionTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../Fuzzing").standardizedFileURL

    @Test(arguments: FuzzTarget.allCases)
    func `every input of the corpus and every past crash is read or refused`(target: FuzzTarget) throws {
        defer { FuzzTarget.removeScratchFolder() }
        var count = 0
        for kind in ["Corpus", "Regressions"] {
            let folder = Self.folder.appendingPathComponent("\(kind)/\(target.rawValue)").path
            for name in ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted() {
                let bytes = Array(FileManager.default.contents(atPath: "\(folder)/\(name)") ?? Data())
                #expect(try target.findings(in: bytes) == nil, "\(kind)/\(target.rawValue)/\(name)")
                count += 1
            }
        }
        #expect(count >= 5)
    }

    @Test func `damaged traces of the corpus are read or refused`() throws {
        defer { FuzzTarget.removeScratchFolder() }
        let folder = Self.folder.appendingPathComponent("Corpus/trace").path
        let originals = try FileManager.default.contentsOfDirectory(atPath: folder).sorted().map { name in
            Array(FileManager.default.contents(atPath: "\(folder)/\(name)") ?? Data())
        }
        var random = RandomSource(seed: 1, stream: 13)
        for round in 0..<6_000 {
            let bytes = Mutation.applied(to: originals[round % originals.count], &random)
            #expect(try FuzzTarget.trace.findings(in: bytes) == nil, "round \(round)")
        }
    }

    @Test func `the corpus stays small`() throws {
        let files = FileManager.default.enumerator(
            at: Self.folder.appendingPathComponent("Corpus"), includingPropertiesForKeys: [.fileSizeKey])
        let sizes = try files?.compactMap { try ($0 as? URL)?.resourceValues(forKeys: [.fileSizeKey]).fileSize } ?? []
        #expect(sizes.count > 50)
        #expect(sizes.reduce(0, +) < 2 << 20)
    }
}
