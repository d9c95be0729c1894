import Foundation
import Testing

/// The compiler's messages for a strategy in a module that is built with other settings than this package.
@Suite(.timeLimit(.minutes(5)))
struct OutsideStrategyTests {
    /// Type-checks a synchronous strategy with these lines in it, against the modules that the tests were built with.
    private static func check(_ load: String) async throws -> Program.Ending {
        let folder = try TemporaryFolder()
        let file = try folder.write(
            """
            import CacheStrategies
            import Foundation

            struct Own: SynchronousCacheStrategy {
                static var declaration: StrategyDeclaration { StrategyDeclaration(name: "own", summary: "") }

                init(configuration: StrategyConfiguration) {}
                func value(forKey key: String) -> Data? { nil }
                func insert(_ value: Data, forKey key: String, cost: Int) {}
                func removeValue(forKey key: String) {}
                func removeAll() {}
                \(load)
            }
            """, to: "Own.swift")
        let build = URL(fileURLWithPath: Program.path).deletingLastPathComponent()
        let modules = build.appendingPathComponent("Modules")
        // The map of a C module, which the build makes.
        let readers = build.appendingPathComponent("CReaders.build")
        let systemLibraries = ["CZlib", "CCrypto"].flatMap { ["-I", "\(Program.root)/Sources/\($0)"] }
        return try await Program.start(
            tool: "swiftc",
            ["-typecheck", "-swift-version", "6", "-I", modules.path, "-I", readers.path] + systemLibraries + [file]
        ).ending()
    }

    @Test func `a load with the required type compiles`() async throws {
        let ending = try await Self.check(
            "func load(_ key: String, fetch: @escaping Fetch) async throws -> Loaded<Data> "
                + "{ try await loadUnshared(key, fetch: fetch) }")
        #expect(ending.exitCode == 0, "\(ending.errors)")
    }

    @Test(arguments: [
        "func load(_ key: String, fetch: @escaping @Sendable () async throws -> Data) async throws -> Loaded<Data>",
        "func load(_ key: String, fetch: @Sendable () async throws -> Data) async throws -> Loaded<Data>",
        "func load(_ key: String, fetch: @escaping Fetch) async throws -> Data",
        "func load(key: String, fetch: @escaping Fetch) async throws -> Loaded<Data>",
    ])
    func `a load whose type is nearly right is an error`(signature: String) async throws {
        let ending = try await Self.check("\(signature) { throw CancellationError() }")
        #expect(ending.exitCode == 1)
        #expect(ending.errors.contains("protocol 'CacheStrategy'"), "\(ending.errors)")
    }
}
