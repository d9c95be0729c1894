import Foundation
import Subprocess

#if canImport(System)
    import System
#else
    import SystemPackage
#endif

/// The state of the source that a program was built from, as git reports it.
struct Checkout: Sendable {
    let commit: String
    /// Whether files differ from the commit.
    let isDirty: Bool

    /// The checkout that holds a file, such as the program in its build folder; `nil` outside a checkout, or without
    /// git.
    static func containing(file path: String) async -> Checkout? {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        guard let commit = await git(["-C", folder, "rev-parse", "HEAD"]), !commit.isEmpty,
            let changes = await git(["-C", folder, "status", "--porcelain", "--untracked-files=no"])
        else { return nil }
        return Checkout(commit: commit, isDirty: !changes.isEmpty)
    }

    private static func git(_ arguments: [String]) async -> String? {
        let result = try? await Subprocess.run(
            .name("git"), arguments: Arguments(arguments), output: .string(limit: 1 << 20), error: .discarded)
        guard let result, result.terminationStatus.isSuccess else { return nil }
        return result.standardOutput.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
