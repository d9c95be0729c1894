import Foundation
import Testing

/// The packages that `init` writes. Whether they build is a nightly test of the example program.
@Suite(.timeLimit(.minutes(2)))
struct InitCommandTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func program(_ arguments: String...) async throws -> Program.Ending {
        try await Program.start(tool: Program.path, ["init"] + arguments, in: folder.path).ending()
    }

    private func text(_ path: String) throws -> String {
        try String(contentsOfFile: "\(folder.path)/\(path)", encoding: .utf8)
    }

    @Test(arguments: [false, true]) func `a package has a cache, its tests, a program, a scenario and a workflow`(
        isAdapted: Bool
    ) async throws {
        let ending = try await isAdapted ? program("picture-cache", "--adapter") : program("picture-cache")
        #expect(ending.exitCode == 0, "\(ending.errors)")
        let files = ending.output.split(separator: "\n").map(String.init)
        #expect(files.count == 7)
        for file in files {
            let text = try text(file)
            #expect(!["CacheType", "CACHE-NAME", "PROGRAM-NAME"].contains { text.contains($0) }, "\(file):\n\(text)")
        }
        let manifest = try text("picture-cache/Package.swift")
        #expect(
            manifest.contains(
                #".package(url: "https://github.com/OWNER/cache-trials.git", from: "0.1.0", traits: ["Program"])"#))
        #expect(manifest.contains(#"name: "picture-cache-trials""#) && manifest.contains(#"name: "PictureCacheTests""#))
        #expect(try text("picture-cache/Sources/PictureCache/PictureCache.swift").contains("REPLACE"))
        #expect(ending.errors.contains("Write the owner of CacheTrials for OWNER"))
        let scenario = "\(folder.path)/picture-cache/Scenarios/picture-cache.yaml"
        // The strategy is one of the new program.
        let valid = await Program.here(
            "run", scenario, "--smoke", "--strategies", "lru", "--output", "\(folder.path)/out")
        #expect(valid.exitCode == 0, "\(valid.errors)")
    }

    @Test(arguments: [[], ["--adapter"]], [Program.root, "https://git.example.invalid/OWNER/cache-trials.git"])
    func `a package gets another one for its trials`(options: [String], dependency: String) async throws {
        let around = "// swift-tools-version: 6.2\nlet package = Package(\n    name: \"Pictures\", targets: [])\n"
        _ = try folder.write(around, to: "Package.swift")
        let ending = try await Program.start(
            tool: Program.path, ["init", "--dependency", dependency] + options, in: folder.path
        ).ending()
        #expect(ending.exitCode == 0, "\(ending.errors)")
        let manifest = try text("Trials/Package.swift")
        // The folder has another name in CI.
        #expect(manifest.contains(#"// .package(name: "Pictures", path: ".."),"#))
        #expect(manifest.contains(#".product(name: "YourLibrary", package: "Pictures")"#))
        let source =
            dependency == Program.root
            ? #"name: "CacheTrials", path: "\#(dependency)""# : #"url: "\#(dependency)", from: "0.1.0""#
        #expect(manifest.contains(#".package(\#(source), traits: ["Program"])"#), "\(manifest)")
        #expect(!ending.errors.contains("OWNER"))
        #expect(try text("Trials/Sources/trials/Main.swift").contains("adapting:") == !options.isEmpty)
        #expect(try text("Package.swift") == around)
    }

    @Test func `nothing that exists is changed`() async throws {
        try FileManager.default.createDirectory(
            atPath: "\(folder.path)/picture-cache", withIntermediateDirectories: false)
        _ = try folder.write("mine", to: "picture-cache/Package.swift")
        let ending = try await program("picture-cache")
        #expect(ending.exitCode == 64 && ending.errors.contains("picture-cache exists, and nothing was changed"))
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/picture-cache") == ["Package.swift"])
    }

    @Test(arguments: [
        "", "..", "../x", "/tmp/x", "a/b", "Picture", "a--b", "-a", "1a", "ünder", "a b", "lru", "swift", "cache",
        String(repeating: "a", count: 51),
    ])
    func `a name that makes no package is refused`(name: String) async throws {
        let ending = try await program("--", name)
        #expect(ending.exitCode == 64, "\(name): \(ending.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test(arguments: [
        (["x-cache", "--dependency", ""], "needs an address"),
        (["x-cache", "--dependency", "https://a\"b"], "needs an address"),
        (["x-cache", "--dependency", "nowhere"], "'--dependency nowhere': there is no package"),
        ([], "there is no Package.swift here"),
    ])
    func `a dependency is an address or a clone`(arguments: [String], message: String) async throws {
        let ending = try await Program.start(tool: Program.path, ["init"] + arguments, in: folder.path).ending()
        #expect(ending.exitCode == 64 && ending.errors.contains(message), "\(ending.errors)")
    }
}
