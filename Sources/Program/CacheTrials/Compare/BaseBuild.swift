import Foundation
import Platform
import Subprocess
import TrialModel

/// This program as another commit has it: built in a worktree of its own, beside this program's build.
///
/// A worktree stays, so that the next comparison with the commit builds nothing.
struct BaseBuild {
    /// A commit, branch or tag.
    let reference: String
    /// What builds the program in the worktree, in the folder of its package; `nil` for SwiftPM, or `scripts/build` where
    /// there is one.
    let command: String?

    /// Where a program was built.
    struct Place: Hashable {
        /// The folder with `Package.swift`.
        let package: String
        /// The folder of the build below it, `.build` or the one of `--scratch-path`.
        let scratch: String
        /// The program below the package, such as `.build/x86_64-unknown-linux-gnu/release/cache-trials`.
        let program: String
        /// `debug` or `release`.
        let configuration: String
        let name: String

        /// - Throws: ``Refusal`` when it is not in the build folder of a package.
        init(of program: String) throws(Refusal) {
            var above = program.split(separator: "/").map(String.init)[...]
            name = above.last ?? ""
            var below: [String] = []
            while let last = above.popLast() {
                below.insert(last, at: 0)
                let folder = "/" + above.joined(separator: "/")
                guard FileManager.default.fileExists(atPath: "\(folder)/Package.swift") else { continue }
                guard below.count >= 4 else { break }
                package = folder
                scratch = below.dropLast(3).joined(separator: "/")
                self.program = below.joined(separator: "/")
                configuration = below[below.count - 2]
                return
            }
            throw Refusal("'--base' needs a program in the build folder of its package, and this one is \(program)")
        }
    }

    /// Builds the program, with the output of the build on standard error.
    ///
    /// - Returns: its path.
    /// - Throws: ``Refusal`` when there is no such commit, or the program was not built in a checkout; ``HarnessError``
    ///   when the build fails.
    func program() async throws -> String {
        let own = try Place(of: try ThisProgram.path())
        let commit = try await git(
            own.package, ["rev-parse", "--verify", "--end-of-options", "\(reference)^{commit}"],
            or: "there is no commit '\(reference)'; name a branch, a tag or a commit that this checkout has")
        let tree = "\(own.package)/\(own.scratch)/bases/\(commit.prefix(12))"
        if await Checkout.git(["-C", tree, "rev-parse", "--show-toplevel"]) != tree {
            _ = try await git(own.package, ["worktree", "prune"], or: "git can't tidy its worktrees")
            _ = try await git(
                own.package, ["worktree", "add", "--detach", tree, commit],
                or: "git can't make a worktree in \(tree); remove the folder, or free some disk space")
        }
        try await sayWhich(commit, own, tree)
        let prefix = try await git(own.package, ["rev-parse", "--show-prefix"], or: "git does not know \(own.package)")
        let package = URL(fileURLWithPath: "\(tree)/\(prefix)").path
        try await build(own, in: package)
        let program = "\(package)/\(own.program)"
        guard FileManager.default.isExecutableFile(atPath: program) else {
            throw HarnessError("the build of '\(reference)' made no \(own.program)")
        }
        return program
    }

    private func git(_ folder: String, _ arguments: [String], or problem: String) async throws -> String {
        guard let text = await Checkout.git(["-C", folder] + arguments) else { throw Refusal("--base: \(problem)") }
        return text
    }

    /// Says which commit it is, and how far it is from the candidate's.
    private func sayWhich(_ commit: String, _ own: Place, _ tree: String) async throws {
        let subject = try await git(own.package, ["log", "-1", "--format=%h %s", commit], or: "git can't read its log")
        let counts = try await git(
            own.package, ["rev-list", "--left-right", "--count", "\(commit)...HEAD"], or: "git can't count commits")
        let numbers = counts.split(whereSeparator: \.isWhitespace).map(String.init)
        let distance =
            switch (numbers.first, numbers.last) {
            case ("0", "0"): "this very commit"
            case ("0", let ahead?): "\(ahead) commits before this one"
            default: "\(numbers.last ?? "?") commits on this side, \(numbers.first ?? "?") on the other"
            }
        StandardError.write("base: \(subject) (\(distance)), in \(tree)")
    }

    private func build(_ own: Place, in package: String) async throws {
        let usual =
            FileManager.default.isExecutableFile(atPath: "\(package)/scripts/build") ? "scripts/build" : "swift build"
        let shell =
            command ?? "exec \(usual) -c \"$1\" --product \"$2\" --scratch-path \"$3\""
        let start = ContinuousClock.now
        let result = try await Subprocess.run(
            .path(filePath("/bin/sh")), arguments: ["-c", shell, "sh", own.configuration, own.name, own.scratch],
            workingDirectory: filePath(package), output: .currentStandardError, error: .currentStandardError)
        guard result.terminationStatus.isSuccess else {
            throw HarnessError(
                "'\(reference)' can't be built in \(package): \(result.terminationStatus), after the output above. "
                    + "--build COMMAND builds it with another command, run in the folder of the package")
        }
        StandardError.write(
            "base: built in \(Quantity.duration(nanoseconds: (ContinuousClock.now - start).nanoseconds))")
    }
}
