import BuiltProgram
import Foundation
import TestTiers
import Testing

/// The example as a package elsewhere: it depends on a version, by URL, and has nothing else of this repository.
@Suite(.timeLimit(.minutes(30)))
struct DependencyByVersionTests {
    private static let url = "https://git.example.invalid/OWNER/cache-trials.git"

    private static func run(_ tool: String, _ arguments: [String], in folder: String) async throws {
        let ending = try await Program.start(tool: tool, arguments, in: folder).ending()
        try #require(ending.exitCode == 0, "\(tool) \(arguments): \(ending.output) \(ending.errors)")
    }

    // It builds with the flags of a dependant: a manifest with unsafe flags is refused there. What this repository's own
    // builds set in the environment is left out.
    @Test(.nightly) func `a package that depends on a version builds, and its tests pass`() async throws {
        let temporary = try TemporaryFolder()
        let (root, bare, own) = (Program.root, "\(temporary.path)/cache-trials.git", "\(temporary.path)/fast-cache")
        try await Self.run("git", ["clone", "--quiet", "--bare", root, bare], in: temporary.path)
        try await Self.run("git", ["-C", bare, "tag", "--force", "0.1.0", "HEAD"], in: temporary.path)

        try FileManager.default.copyItem(atPath: "\(root)/Tests/Program/ExamplePackage", toPath: own)
        let manifest = try String(contentsOfFile: "\(own)/Package.swift", encoding: .utf8)
        let byPath = #".package(name: "CacheTrials", path: "../../..", traits: [])"#
        try #require(manifest.contains(byPath))
        let byVersion = manifest.replacing(byPath, with: #".package(url: "\#(Self.url)", from: "0.1.0", traits: [])"#)
            .replacing(#"package: "CacheTrials""#, with: #"package: "cache-trials""#)
        try byVersion.write(toFile: "\(own)/Package.swift", atomically: true, encoding: .utf8)

        let environment = [
            "-u", "CACHE_TRIALS_QUICK_BUILD", "-u", "CACHE_TRIALS_NIGHTLY", "-u", "CACHE_TRIALS_SQLITE",
            "-u", "CACHE_TRIALS_TESTS", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=url.file://\(bare).insteadOf",
            "GIT_CONFIG_VALUE_0=\(Self.url)",
        ]
        let caches = ["--cache-path", "\(temporary.path)/caches", "--security-path", "\(temporary.path)/security"]
        try await Self.run(
            "env", environment + ["swift", "test"] + caches + ["--filter", "FastCacheTests"], in: own)
        let pins = try String(contentsOfFile: "\(own)/Package.resolved", encoding: .utf8)
        #expect(pins.contains(Self.url) && pins.contains(#""version" : "0.1.0""#))
    }
}
