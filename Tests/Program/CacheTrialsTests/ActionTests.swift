import Foundation
import Testing

/// What carries out the action.
private enum RunnerPrograms {
    private static func has(_ arguments: String...) -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        (process.standardOutput, process.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }

    static let areThere = has("python3", "-c", "import yaml") && has("node", "--version")
}

/// The action `compare` in the workflow that `init` writes, carried out as a runner does: in a folder with nothing but what it checks
/// out. The program of the package is a script, which finds what its commit says.
@Suite(
    .timeLimit(.minutes(5)), .serialized,
    .enabled(if: RunnerPrograms.areThere, "needs PyYAML and Node: scripts/bootstrap --clusters"))
struct ActionTests {
    private static let same =
        "### Cache trials: 8 values: 0 worse, 0 better, 8 same, 0 inconclusive\n\nNo value is significantly better or worse.\n"
    private static let worse =
        "### Cache trials: 8 values: 1 worse, 0 better, 7 same, 0 inconclusive\n\nFailed:\n\n- worse: p50\n"

    private let folder: TemporaryFolder
    private var package: String { "\(folder.path)/picture-cache" }
    private var runner: String { "\(folder.path)/runner" }

    /// A package as `init` writes it, and the repository of the action with a version.
    init() async throws {
        folder = try TemporaryFolder()
        let written = try await Program.start(tool: Program.path, ["init", "picture-cache"], in: folder.path).ending()
        try #require(written.exitCode == 0, "\(written.errors)")
        _ = try folder.write(
            """
            #!/bin/sh
            echo "$@" > "$GITHUB_WORKSPACE/arguments"
            cmp -s "$3" "$4" && echo 'The programs are equal.' >&2
            cat "$(dirname "$0")/../../found.md"
            exit $(cat "$(dirname "$0")/../../code")
            """, to: "picture-cache/script")
        try await git(package, "init", "--quiet")
        let tool = "\(folder.path)/tool"
        for path in [".github", "scripts"] {
            try FileManager.default.createDirectory(atPath: tool, withIntermediateDirectories: true)
            try FileManager.default.copyItem(atPath: "\(Program.root)/\(path)", toPath: "\(tool)/\(path)")
        }
        try await git(tool, "init", "--quiet")
        try await commit(in: tool)
        try await git(tool, "tag", "v0.1.0")
    }

    private func git(_ folder: String, _ arguments: String...) async throws {
        let identity = ["-c", "user.name=test", "-c", "user.email=test@localhost", "-c", "commit.gpgsign=false"]
        let ending = try await Program.start(tool: "git", ["-C", folder] + identity + arguments, in: folder).ending()
        try #require(ending.exitCode == 0, "\(arguments): \(ending.errors)")
    }

    private func commit(in folder: String) async throws {
        try await git(folder, "add", "--all")
        try await git(folder, "commit", "--quiet", "--allow-empty", "--message", "change")
    }

    /// A pull request of one commit.
    ///
    /// - Parameters:
    ///   - found: what the comparison prints, and its exit code.
    ///   - options: more inputs of the action.
    private func pullRequest(
        _ found: String, code: Int = 0, _ options: [String: String] = [:], isFork: Bool = false,
        build: String =
            "mkdir -p .build/release && cp script .build/release/picture-cache-trials && chmod +x .build/release/*"
    ) async throws -> Program.Ending {
        let workflow = try String(contentsOfFile: "\(package)/.github/workflows/cache-trials.yml", encoding: .utf8)
        let step = "          program: .build/release/picture-cache-trials\n"
        try #require(workflow.contains(step))
        let inputs = options.merging(["build": build]) { own, _ in own }.map { "          \($0): \($1)\n" }.sorted()
            .joined()
        _ = try folder.write(workflow.replacing(step, with: step + inputs), to: "workflow.yml")
        try await commit(in: package)
        _ = try folder.write(found, to: "picture-cache/found.md")
        _ = try folder.write("\(code)", to: "picture-cache/code")
        try await commit(in: package)
        let commit = try await Program.start(tool: "git", ["-C", package, "rev-parse", "HEAD"], in: package).ending()
        return try await Program.start(
            tool: "python3",
            [
                "\(Program.root)/Tests/Program/Runner/run-job", "\(folder.path)/workflow.yml", "speed", "--repository",
                package,
                "--commit",
                commit.output.trimmingCharacters(in: .whitespacesAndNewlines), "--folder", runner, "--tool",
                "\(folder.path)/tool",
            ] + (isFork ? ["--fork"] : []), in: folder.path
        ).ending()
    }

    private func comments() throws -> [String] {
        guard let data = FileManager.default.contents(atPath: "\(runner)/comments.json") else { return [] }
        let list = try #require(try JSONSerialization.jsonObject(with: data) as? [[String: Any]])
        return list.compactMap { $0["body"] as? String }
    }

    private func summary() throws -> String { try String(contentsOfFile: "\(runner)/summary.md", encoding: .utf8) }

    @Test func `a pull request that changes nothing passes without a comment, and the summary has the figures`()
        async throws
    {
        let ending = try await pullRequest(Self.same)
        #expect(ending.exitCode == 0, "\(ending.output)\(ending.errors)")
        #expect(try comments() == [] && summary().contains("8 same"))
        let arguments = try String(contentsOfFile: "\(runner)/workspace/arguments", encoding: .utf8)
        #expect(
            arguments.hasPrefix(
                "compare --live baseline/program candidate/./.build/release/picture-cache-trials candidate/./Scenarios "
            ))
        #expect(arguments.contains("--budget 3min --fail-on never --format github"))
        let always = try await pullRequest(Self.same, ["comment": "always"])
        #expect(try always.exitCode == 0 && comments().count == 1)
    }

    @Test func `a change gets one comment, which the next commit updates`() async throws {
        let first = try await pullRequest(Self.worse, ["comment": "changes"])
        #expect(first.exitCode == 0, "\(first.output)\(first.errors)")
        #expect(try comments().map { $0.contains("1 worse") } == [true])
        let second = try await pullRequest(Self.same)
        #expect(second.exitCode == 0)
        #expect(try comments().map { $0.contains("0 worse") } == [true])
    }

    @Test func `what one side lacks is worth a comment`() async throws {
        _ = try await pullRequest(Self.same + "\nNot compared:\n\n- new: only in the candidate\n")
        #expect(try comments().count == 1)
    }

    @Test func `a regression fails where the workflow says so, with a comment`() async throws {
        let ending = try await pullRequest(Self.worse, code: 1)
        #expect(ending.exitCode == 1)
        #expect(try comments().count == 1 && summary().contains("1 worse"))
        let kept = FileManager.default.fileExists(atPath: "\(runner)/artifacts/cache-trials/comment.md")
        #expect(kept)
    }

    @Test func `a comparison that was not possible says why`() async throws {
        let ending = try await pullRequest("", code: 2)
        #expect(ending.exitCode == 1)
        #expect(try comments().map { $0.contains("The caches were not compared:") } == [true])
    }

    // The token of a fork can't write, which is no fault of the pull request.
    @Test func `a pull request from a fork has no comment, and is not red for that`() async throws {
        let ending = try await pullRequest(Self.worse, isFork: true)
        #expect(ending.exitCode == 0, "\(ending.output)\(ending.errors)")
        #expect(ending.output.contains("::notice::No comment, because the token"))
        #expect(try comments() == [] && summary().contains("1 worse"))
    }

    // A hiccup of the network was a pass.
    @Test(arguments: [("false", Int32(1)), ("true", 0)])
    func `the action passes a base that can't be built in the first pull request alone`(
        isFirst: String, code: Int32
    ) async throws {
        let ending = try await pullRequest(
            Self.same, ["first-run": isFirst],
            build: "test -e found.md && mkdir -p .build/release && cp script .build/release/picture-cache-trials "
                + "&& chmod +x .build/release/*")
        #expect(ending.exitCode == code, "\(ending.output)\(ending.errors)")
        let comment = try #require(try comments().first)
        #expect(comment.contains("The base could not be built") && comment.contains("first-run: true") == (code != 0))
    }

    @Test func `the second build begins with what the first has left, and the next run with both`() async throws {
        let build =
            "mkdir -p .build/release && cp script .build/release/picture-cache-trials && chmod +x .build/release/* "
            + "&& echo build >> .build/log && wc -l < .build/log"
        let first = try await pullRequest(Self.same, build: build)
        #expect(first.output.contains("\n1\n") && first.output.contains("\n2\n"), "\(first.output)")
        let second = try await pullRequest(Self.same, build: build)
        #expect(second.output.contains("\n3\n") && second.output.contains("\n4\n"), "\(second.output)")
    }

    // MARK: Pipelines without the action

    /// The lines of a section of the page.
    private static func lines(of section: String) throws -> [String] {
        let page = try String(
            contentsOfFile: "\(Program.root)/Sources/Program/CacheTrials/CacheTrials.docc/ComparePullRequests.md",
            encoding: .utf8)
        let part = try #require(page.components(separatedBy: "### \(section)\n").dropFirst().first)
        let block = try #require(part.components(separatedBy: "```").dropFirst().first)
        return block.split(separator: "\n").dropFirst().map(String.init)
    }

    // The page's lines are carried out; in place of Swift there is a script, which builds by copying another one.
    @Test(arguments: ["GitLab", "A shell"])
    func `the lines of the page compare the commit with its base`(section: String) async throws {
        var lines = try Self.lines(of: section)
        #expect(lines.count <= 12)
        if section == "GitLab" { lines = lines.filter { $0.hasPrefix("    - ") }.map { String($0.dropFirst(6)) } }
        try FileManager.default.createDirectory(atPath: "\(folder.path)/bin", withIntermediateDirectories: false)
        _ = try folder.write(
            """
            #!/bin/sh
            case $1 in
            package) mkdir -p .build/checkouts/cache-trials/scripts && cp bootstrap .build/checkouts/cache-trials/scripts ;;
            build) mkdir -p .build/release && cp program .build/release/picture-cache-trials ;;
            esac
            """, to: "bin/swift")
        _ = try folder.write("#!/bin/sh\n[ \"$1\" = --build ]\n", to: "picture-cache/bootstrap")
        let program = "#!/bin/sh\necho \"$@\" > \"$HOME/arguments\"\n"
        _ = try folder.write(program + "# old\n", to: "picture-cache/program")
        for path in ["bin/swift", "picture-cache/bootstrap", "picture-cache/program"] {
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: "\(folder.path)/\(path)")
        }
        try await commit(in: package)
        try await git(package, "update-ref", "refs/remotes/origin/main", "HEAD")
        _ = try folder.write(program + "# new\n", to: "picture-cache/program")
        try await commit(in: package)
        let setUp = """
            export HOME='\(folder.path)' PATH='\(folder.path)/bin':"$PATH"
            CI_COMMIT_SHA=$(git rev-parse HEAD) CI_MERGE_REQUEST_DIFF_BASE_SHA=$(git rev-parse HEAD^)
            """
        let script = ([setUp] + lines).joined(separator: "\n")
        let ending = try await Program.start(tool: "bash", ["-eo", "pipefail", "-c", script], in: package).ending()
        #expect(ending.exitCode == 0, "\(ending.output)\(ending.errors)")
        let arguments = try String(contentsOfFile: "\(folder.path)/arguments", encoding: .utf8)
        #expect(arguments.hasPrefix("compare --live ./base .build/release/picture-cache-trials Scenarios "))
        #expect(try String(contentsOfFile: "\(package)/base", encoding: .utf8).hasSuffix("# old\n"))
        let built = try String(contentsOfFile: "\(package)/.build/release/picture-cache-trials", encoding: .utf8)
        #expect(built.hasSuffix("# new\n"))
    }
}
