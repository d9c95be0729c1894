import Foundation
import Testing

@testable import Races

@Suite(.timeLimit(.minutes(1))) struct SanitizerRuntimeTests {
    /// Folders with empty programs.
    private func withFolders(_ body: (_ folder: String, _ add: (String) throws -> Void) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
            .appendingPathComponent("runtime-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body(folder) { name in
            let file = URL(fileURLWithPath: folder + "/" + name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data().write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.path)
        }
    }

    @Test func `this machine has a symbolizer`() throws {
        let path = try #require(SanitizerRuntime.symbolizer())
        #expect(path.hasSuffix("/llvm-symbolizer"))
        #expect(FileManager.default.isExecutableFile(atPath: path))
    }

    @Test func `the toolchain's own symbolizer takes precedence over others in PATH`() throws {
        try withFolders { folder, add in
            try add("tools/usr/bin/swift")
            try add("tools/usr/bin/llvm-symbolizer")
            try add("bin/llvm-symbolizer")
            try FileManager.default.createSymbolicLink(
                atPath: folder + "/bin/swift", withDestinationPath: folder + "/tools/usr/bin/swift")
            #expect(
                SanitizerRuntime.symbolizer(environment: ["PATH": "\(folder)/none:\(folder)/bin"])
                    == folder + "/tools/usr/bin/llvm-symbolizer")
        }
    }

    @Test func `any symbolizer in PATH is accepted`() throws {
        try withFolders { folder, add in
            try add("a/swift")
            try add("b/llvm-symbolizer")
            #expect(
                SanitizerRuntime.symbolizer(environment: ["PATH": "\(folder)/a::\(folder)/b"])
                    == folder + "/b/llvm-symbolizer")
        }
    }

    @Test(arguments: [[:], ["PATH": ""], ["PATH": "relative:/none"]])
    func `without a symbolizer there is none`(environment: [String: String]) {
        #expect(SanitizerRuntime.symbolizer(environment: environment) == nil)
    }

    @Test func `the runtime is present where instrumented code could call it`() {
        #expect(SanitizerRuntime.isPresent == (dlsym(dlopen(nil, RTLD_NOW), "__tsan_write8") != nil))
    }
}
