import Foundation
import Testing

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

    @Test func `the corpus stays small`() throws {
        let files = FileManager.default.enumerator(
            at: Self.folder.appendingPathComponent("Corpus"), includingPropertiesForKeys: [.fileSizeKey])
        let sizes = try files?.compactMap { try ($0 as? URL)?.resourceValues(forKeys: [.fileSizeKey]).fileSize } ?? []
        #expect(sizes.count > 50)
        #expect(sizes.reduce(0, +) < 2 << 20)
    }
}
