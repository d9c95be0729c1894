import ArgumentParser
import Foundation
import Reports
import TrialModel

/// `init`: writes a package with a cache, its tests, a program and a scenario, which builds as it is.
struct InitCommand: Verb {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Writes a package that tests a cache and puts it on trial; replace its cache by yours.",
        discussion: """
            Examples:
              \(ThisProgram.name) init picture-cache             a cache that conforms
              \(ThisProgram.name) init picture-cache --adapter   one behind its calls
              \(ThisProgram.name) init                           adds Trials to a package
              \(ThisProgram.name) init picture-cache --dependency ../cache-trials

            It builds, and its tests pass. REPLACE marks what becomes yours. Nothing that
            exists is changed.

            Without a name, the package of this folder gets a package of its own for its
            trials, so that those who depend on it resolve nothing more.
            """)

    @Argument(help: "The package: a folder that does not exist yet. (default: Trials, in the package of this folder)")
    var name: String?

    @Flag(help: "The cache has calls of its own, and an adapter names them.")
    var adapter = false

    @Option(
        help: ArgumentHelp(
            "Where CacheTrials is: its address, or a folder with a clone of it.", valueName: "address or folder"),
        completion: .directory)
    var dependency = NewPackage.address

    func validate() throws {
        if let name { try NewPackage.check(name) }
        guard !dependency.isEmpty, !dependency.contains(where: { $0.isNewline || $0 == "\"" || $0 == "\\" }) else {
            throw ValidationError("'--dependency' needs an address, such as \(NewPackage.address), or a folder.")
        }
    }

    private var isAddress: Bool { dependency.contains("://") || dependency.hasPrefix("git@") }

    func carryOut() async throws -> TrialExitCode {
        guard isAddress || FileManager.default.fileExists(atPath: "\(dependency)/Package.swift") else {
            throw Refusal(
                "'--dependency \(dependency)': there is no package; give an address that begins with 'https://', or the "
                    + "folder of a clone",
                .usage)
        }
        let parent = name == nil ? try NewPackage.parent(in: FileManager.default.currentDirectoryPath) : nil
        let package = NewPackage(
            name: name ?? "trials", folder: name ?? "Trials", isAdapted: adapter,
            dependency: isAddress ? .address(dependency) : .folder(URL(fileURLWithPath: dependency).path),
            parent: parent)
        let files = try package.write()
        let folder = package.folder
        try StandardOutput.write(files.map { "\(folder)/\($0)\n" }.joined())
        StandardError.write(
            """

            Next, in \(folder):
              swift test                                                    the contract of its cache
              swift build -c release
              .build/release/\(package.program) check Scenarios/\(package.name).yaml   the cache among concurrent callers
            Then replace what is marked: grep -rn REPLACE .
            """)
        if dependency == NewPackage.address {
            StandardError.write(
                "Write the owner of CacheTrials for OWNER in \(folder)/Package.swift, or give a clone: --dependency FOLDER."
            )
        }
        return .passed
    }
}
