import Foundation
import Locks
import Testing
import TrialModel

@testable import CacheTrials

/// How `compare --live --base` gets the program of another commit; the builds are copies of a file.
@Suite(.timeLimit(.minutes(2)))
struct BaseBuildTests {
    private let folder: TemporaryFolder
    /// A package in a folder of a checkout.
    private var package: String { "\(folder.path)/checkout/package" }
    private var program: String { "\(package)/.build/some-triple/release/prog" }

    private static let build =
        "mkdir -p .build/some-triple/release && cp source .build/some-triple/release/prog && chmod +x .build/*/release/prog"

    init() async throws {
        folder = try TemporaryFolder()
        try FileManager.default.createDirectory(
            atPath: "\(folder.path)/checkout/package/.build/some-triple/release", withIntermediateDirectories: true)
        _ = try folder.write("", to: "checkout/package/Package.swift")
        _ = try folder.write(".build\n", to: "checkout/.gitignore")
        _ = try folder.write("old", to: "checkout/package/source")
        let checkout = "\(folder.path)/checkout"
        try await Self.git(checkout, "init", "--quiet")
        try await commit("first")
        try await Self.git(checkout, "tag", "start")
        _ = try folder.write("new", to: "checkout/package/source")
        try await commit("second")
        _ = try folder.write("", to: "checkout/package/.build/some-triple/release/prog")
    }

    private static func git(_ folder: String, _ arguments: String...) async throws {
        let identity = ["-c", "user.name=test", "-c", "user.email=test@localhost", "-c", "commit.gpgsign=false"]
        _ = try #require(await Checkout.git(["-C", folder] + identity + arguments))
    }

    private func commit(_ message: String) async throws {
        try await Self.git("\(folder.path)/checkout", "add", "-A")
        try await Self.git("\(folder.path)/checkout", "commit", "--quiet", "-m", message)
    }

    /// Builds the program of a commit.
    ///
    /// - Returns: its path, and what is printed on standard error.
    private func build(_ reference: String, _ command: String = build) async throws -> (path: String, said: String) {
        let said = Locked("")
        let surroundings = Surroundings(program: program) { _, text in said.withLock { $0 += text } }
        let path = try await Surroundings.$current.withValue(surroundings) {
            try await BaseBuild(reference: reference, command: command).program()
        }
        return (path, said.withLock { $0 })
    }

    @Test func `the program of another commit is built beside this one, once`() async throws {
        let first = try await build("start")
        #expect(try String(contentsOfFile: first.path, encoding: .utf8) == "old")
        #expect(first.path.hasPrefix("\(package)/.build/bases/"))
        #expect(first.said.contains("first (1 commits before this one), in "))
        // The worktree is still there, and so is what the build left in it.
        let second = try await build("start", "test -x .build/some-triple/release/prog")
        #expect(second.path == first.path)
        #expect(try String(contentsOfFile: "\(package)/source", encoding: .utf8) == "new")
    }

    @Test func `the commit that is checked out is called so`() async throws {
        #expect(try await build("HEAD").said.contains("second (this very commit)"))
    }

    @Test(arguments: ["no-such-branch", "--help", "", "HEAD^^^"])
    func `a commit that is not there is refused`(reference: String) async throws {
        let error = try await #require(throws: Refusal.self) { try await build(reference) }
        #expect(error.description.contains("there is no commit '\(reference)'"))
        #expect(!FileManager.default.fileExists(atPath: "\(package)/.build/bases"))
    }

    @Test func `a build that fails, or makes no program, says how to build otherwise`() async throws {
        let failed = try await #require(throws: HarnessError.self) { try await build("start", "exit 3") }
        #expect(failed.description.contains("'start' can't be built") && failed.description.contains("--build COMMAND"))
        let empty = try await #require(throws: HarnessError.self) { try await build("start", "true") }
        #expect(empty.description.contains("made no .build/some-triple/release/prog"))
    }

    @Test func `a program outside of a package's build folder is refused`() throws {
        #expect(throws: Refusal.self) { try BaseBuild.Place(of: "\(folder.path)/bin/prog") }
        #expect(throws: Refusal.self) { try BaseBuild.Place(of: "\(package)/prog") }
        let place = try BaseBuild.Place(of: "\(package)/.build/races/some-triple/debug/prog")
        #expect(place.scratch == ".build/races" && place.configuration == "debug" && place.package == package)
    }
}
