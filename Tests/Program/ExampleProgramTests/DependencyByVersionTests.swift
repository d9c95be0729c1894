import BuiltProgram
import Foundation
import TestTiers
import Testing

/// Packages elsewhere: they depend on a version, by URL, and have nothing else of this repository.
@Suite(.timeLimit(.minutes(60)), .serialized)
struct DependencyByVersionTests {
    private static let url = "https://git.example.invalid/OWNER/cache-trials.git"
    private let temporary: TemporaryFolder
    private var bare: String { "\(temporary.path)/cache-trials.git" }

    init() throws { temporary = try TemporaryFolder() }

    private func run(_ tool: String, _ arguments: [String], in folder: String) async throws {
        let ending = try await Program.start(tool: tool, arguments, in: folder).ending()
        try #require(ending.exitCode == 0, "\(tool) \(arguments): \(ending.output) \(ending.errors)")
    }

    /// A version of this repository at an address that exists nowhere else.
    private func publish() async throws {
        try await run("git", ["clone", "--quiet", "--bare", Program.root, bare], in: temporary.path)
        try await run("git", ["-C", bare, "tag", "--force", "0.1.0", "HEAD"], in: temporary.path)
    }

    /// Runs `swift` as in a package elsewhere: what this repository's own builds set in the environment is left out. A manifest
    /// with unsafe flags is refused there.
    private func swift(_ arguments: String..., in folder: String) async throws {
        let environment = [
            "-u", "CACHE_TRIALS_QUICK_BUILD", "-u", "CACHE_TRIALS_NIGHTLY", "-u", "CACHE_TRIALS_SQLITE",
            "-u", "CACHE_TRIALS_TESTS", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=url.file://\(bare).insteadOf",
            "GIT_CONFIG_VALUE_0=\(Self.url)",
        ]
        let caches = ["--cache-path", "\(temporary.path)/caches", "--security-path", "\(temporary.path)/security"]
        try await run("env", environment + ["swift", arguments[0]] + caches + arguments.dropFirst(), in: folder)
    }

    private func pins(of folder: String) throws -> String {
        try String(contentsOfFile: "\(folder)/Package.resolved", encoding: .utf8)
    }

    @Test(.nightly) func `a package that depends on a version builds, and its tests pass`() async throws {
        try await publish()
        let own = "\(temporary.path)/fast-cache"
        try FileManager.default.copyItem(atPath: "\(Program.root)/Tests/Program/ExamplePackage", toPath: own)
        let manifest = try String(contentsOfFile: "\(own)/Package.swift", encoding: .utf8)
        let byPath = #".package(name: "CacheTrials", path: "../../..", traits: ["Program"])"#
        try #require(manifest.contains(byPath))
        let byVersion = #".package(url: "\#(Self.url)", from: "0.1.0", traits: ["Program"])"#
        try manifest.replacing(byPath, with: byVersion)
            .replacing(#"package: "CacheTrials""#, with: #"package: "cache-trials""#)
            .write(toFile: "\(own)/Package.swift", atomically: true, encoding: .utf8)
        try await swift("test", "--filter", "FastCacheTests", in: own)
        #expect(try pins(of: own).contains(Self.url) && pins(of: own).contains(#""version" : "0.1.0""#))
    }

    @Test(.nightly) func `a package that init writes builds, its tests pass, and its cache keeps its promises`()
        async throws
    {
        try await publish()
        let own = "\(temporary.path)/picture-cache"
        try await run(Program.path, ["init", "picture-cache", "--dependency", Self.url], in: temporary.path)
        try await swift("test", in: own)
        try await swift(
            "run", "picture-cache-trials", "check", "Scenarios/picture-cache.yaml", "--smoke", "--repetitions", "1",
            in: own)
    }

    /// A package with a cache that knows nothing of CacheTrials, and `Trials` in it; what init marks is replaced.
    private func makeTrials(in own: String) async throws {
        try FileManager.default.createDirectory(atPath: "\(own)/Sources", withIntermediateDirectories: true)
        try """
        // swift-tools-version: 6.2
        import PackageDescription
        let package = Package(
            name: "own", platforms: [.macOS(.v15)], products: [.library(name: "Own", targets: ["MyCache"])],
            targets: [.target(name: "MyCache")])
        """.write(toFile: "\(own)/Package.swift", atomically: true, encoding: .utf8)
        try await run(Program.path, ["init", "--adapter", "--dependency", Self.url], in: own)
        try FileManager.default.moveItem(
            atPath: "\(own)/Trials/Sources/MyCache", toPath: "\(own)/Sources/MyCache")
        var manifest = try String(contentsOfFile: "\(own)/Trials/Package.swift", encoding: .utf8)
        let product = #".product(name: "Own", package: "own"), .product("#
        let replacements = [
            ("// .package(name: \"own\", path: \"..\"),", ".package(name: \"own\", path: \"..\"),"),
            (".target(\n            name: \"MyCache\"),", ""),
            ("\"MyCache\", .product(", product),
        ]
        for (marked, replacement) in replacements {
            try #require(manifest.contains(marked), "\(manifest)")
            manifest = manifest.replacing(marked, with: replacement)
        }
        try manifest.write(toFile: "\(own)/Trials/Package.swift", atomically: true, encoding: .utf8)
    }

    @Test(.nightly) func `a package of trials inside of another one tests its cache, and the other resolves nothing`()
        async throws
    {
        try await publish()
        let own = "\(temporary.path)/own"
        try await makeTrials(in: own)
        try await swift("test", in: "\(own)/Trials")
        try await swift(
            "run", "trials", "check", "Scenarios/trials.yaml", "--smoke", "--repetitions", "1", in: "\(own)/Trials")
        try await swift("package", "resolve", in: own)
        let pins = FileManager.default.fileExists(atPath: "\(own)/Package.resolved")
        #expect(!pins)
    }

    @Test(.nightly) func `a package that only tests a cache resolves no other package`() async throws {
        try await publish()
        let own = "\(temporary.path)/own"
        try FileManager.default.createDirectory(atPath: "\(own)/Tests/OwnTests", withIntermediateDirectories: true)
        try """
        // swift-tools-version: 6.2
        import PackageDescription
        let package = Package(
            name: "own", platforms: [.macOS(.v15)],
            dependencies: [.package(url: "\(Self.url)", from: "0.1.0", traits: [])],
            targets: [
                .testTarget(
                    name: "OwnTests",
                    dependencies: [.product(name: "CacheTrialsTesting", package: "cache-trials")])
            ])
        """.write(toFile: "\(own)/Package.swift", atomically: true, encoding: .utf8)
        try "import CacheTrialsTesting\n".write(
            toFile: "\(own)/Tests/OwnTests/OwnTests.swift", atomically: true, encoding: .utf8)
        try await swift("package", "resolve", in: own)
        let pins = try pins(of: own)
        #expect(pins.components(separatedBy: #""identity""#).count == 2, "\(pins)")
    }
}
