import ArgumentParser
import BuiltInStrategies
import Foundation
import TimedStrategies
import TrialModel

/// A package as `init` writes it.
struct NewPackage {
    /// Where the package finds CacheTrials.
    enum Dependency: Hashable {
        case address(String)
        case folder(String)
    }

    /// The package around the new one.
    struct Parent: Hashable {
        /// The name in its manifest, by which its products are found. Its folder may have another name elsewhere, as in CI.
        var name: String
    }

    /// The address until the owner's name is known.
    static let address = "https://github.com/OWNER/cache-trials.git"
    /// The version that addresses resolve to.
    private static let version = CacheTrialsCommand.version

    /// The name of the cache, in lower case with hyphens.
    let name: String
    let folder: String
    let isAdapted: Bool
    let dependency: Dependency
    var parent: Parent?

    /// The type and the module of the cache, such as `PictureCache`.
    var type: String {
        parent != nil
            ? "MyCache" : name.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }
    /// The target with the tests' and the program's executable.
    var program: String { parent != nil ? "trials" : "\(name)-trials" }
    /// The name that rows and tables have.
    var cache: String { parent != nil ? "my-cache" : name }

    /// - Throws: `ValidationError` for a name from which no package, type and file can have their names.
    static func check(_ name: String) throws {
        guard name.utf8.count <= 50, name.wholeMatch(of: /[a-z][a-z0-9]*(-[a-z][a-z0-9]*)*/) != nil else {
            throw ValidationError(
                "'\(name)': a package has up to 50 lower-case letters, digits and single hyphens, such as picture-cache."
            )
        }
        let taken = ["cache", "cache-trials", "foundation", "testing", "swift", "cache-strategies", "tests"]
        guard !taken.contains(name), StrategyRegistry.current[name] == nil else {
            throw ValidationError("'\(name)' is the name of another module or strategy; choose another one.")
        }
    }

    /// The package in a folder.
    ///
    /// - Throws: ``Refusal`` when there is none.
    static func parent(in folder: String) throws -> Parent {
        guard let manifest = try? String(contentsOfFile: "\(folder)/Package.swift", encoding: .utf8) else {
            throw Refusal(
                "there is no Package.swift here; give a name for a new package, such as picture-cache", .usage)
        }
        let name = manifest.firstMatch(of: #/Package\(\s*name:\s*"([^"\\\n]+)"/#).map { String($0.1) }
        let own = URL(fileURLWithPath: folder).lastPathComponent
        return Parent(name: name ?? own.filter { $0 != "\"" && $0 != "\\" })
    }

    /// Writes all files, or none where the folder exists.
    ///
    /// - Returns: the paths in the folder.
    /// - Throws: ``Refusal`` when the folder exists; the file system's error.
    func write() throws -> [String] {
        let manager = FileManager.default
        guard !manager.fileExists(atPath: folder) else {
            throw Refusal(
                "\(folder) exists, and nothing was changed; give the name of a folder that does not exist", .usage)
        }
        for (path, text) in files {
            let file = URL(fileURLWithPath: folder).appendingPathComponent(path)
            try manager.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        return files.map(\.path)
    }

    /// The files in the order in which a reader needs them.
    var files: [(path: String, text: String)] {
        let common = [
            ("Package.swift", manifest),
            (
                "Sources/\(type)/\(type).swift",
                text(of: isAdapted ? PackageResources.OwnCache_txt : PackageResources.ConformingCache_txt)
            ),
            (
                "Tests/\(type)Tests/ContractTests.swift",
                text(of: isAdapted ? PackageResources.AdaptedTests_txt : PackageResources.ConformingTests_txt)
            ),
            (
                "Sources/\(program)/Main.swift",
                text(of: isAdapted ? PackageResources.AdaptedMain_txt : PackageResources.ConformingMain_txt)
            ),
            ("Scenarios/\(name).yaml", text(of: PackageResources.Scenario_txt)), (".gitignore", ".build\nResults\n"),
        ]
        // A package inside of another one shares its workflows.
        return common
            + (parent == nil ? [(".github/workflows/cache-trials.yml", text(of: PackageResources.Workflow_txt))] : [])
    }

    /// A template with the names of this package.
    private func text(of template: [UInt8]) -> String {
        String(decoding: template, as: UTF8.self)
            .replacing("CacheType", with: type).replacing("CACHE-NAME", with: cache)
            .replacing("PROGRAM-NAME", with: program)
    }

    private var package: String { if case .address = dependency { "cache-trials" } else { "CacheTrials" } }

    private var manifest: String {
        let source =
            switch dependency {
            case .address(let address): #"url: "\#(address)", from: "\#(Self.version)""#
            case .folder(let path): #"name: "CacheTrials", path: "\#(path)""#
            }
        let around =
            parent.map { parent in
                """

                        // REPLACE: your package, and below the product with your cache.
                        // .package(name: "\(parent.name)", path: ".."),
                        // … .product(name: "YourLibrary", package: "\(parent.name)"),
                """
            } ?? ""
        return """
            // swift-tools-version: 6.2
            import PackageDescription

            let package = Package(
                name: "\(parent == nil ? name : "Trials")",
                platforms: [.macOS(.v15)],
                dependencies: [\(around)
                    // "HTTP" and "Jemalloc" besides: for scenarios with a server, and for all figures of memory.
                    .package(\(source), traits: ["Program"])
                ],
                targets: [
                    .target(
                        name: "\(type)"\(isAdapted ? "" : """
            ,
                        dependencies: [.product(name: "CacheStrategies", package: "\(package)")]
            """)),
                    .executableTarget(
                        name: "\(program)",
                        dependencies: [
                            "\(type)", .product(name: "CacheTrials", package: "\(package)"),
                            .product(name: "CacheStrategies", package: "\(package)"),
                        ]),
                    .testTarget(
                        name: "\(type)Tests",
                        dependencies: ["\(type)", .product(name: "CacheTrialsTesting", package: "\(package)")]),
                ]
            )

            """
    }

}
