import Foundation
import Testing

@testable import Reports

/// Checksums of files.
@Suite(.timeLimit(.minutes(1)))
struct FileDigestTests {
    private let folder = try? TemporaryFolder()

    @Test func `a checksum is that of FIPS 180-4, and a changed file has another one`() throws {
        let file = "\(try #require(folder).path)/trace"
        try Data("abc".utf8).write(to: URL(fileURLWithPath: file))
        // The first example of the standard.
        #expect(
            try FileDigest.sha256(ofFile: file) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        try Data("abcd".utf8).write(to: URL(fileURLWithPath: file))
        #expect(try FileDigest.sha256(ofFile: file) == FileDigest.sha256(ofText: "abcd"))
    }

    #if os(Linux)
        // A trace of a shard was hashed for the plan, and again for the description of the run.
        @Test func `a file that has not changed is hashed once`() throws {
            let path = "\(try #require(folder).path)/trace"
            try Data("abc".utf8).write(to: URL(fileURLWithPath: path))
            let first = try FileDigest.sha256(ofFile: path)
            var before = stat()
            #expect(stat(path, &before) == 0)
            // Other bytes in the same file, of the same size and time: only reading them again would tell.
            let file = try #require(FileHandle(forWritingAtPath: path))
            try file.write(contentsOf: Data("xyz".utf8))
            try file.close()
            #expect(try FileDigest.sha256(ofFile: path) == FileDigest.sha256(ofText: "xyz"))
            #expect(utimensat(AT_FDCWD, path, [before.st_atim, before.st_mtim], 0) == 0)
            #expect(try FileDigest.sha256(ofFile: path) == first)
        }
    #endif
}
