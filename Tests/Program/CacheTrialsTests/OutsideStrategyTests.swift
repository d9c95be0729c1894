import Foundation
import Testing

/// The compiler's messages for strategies in a module that is built with other settings than this package.
@Suite(.timeLimit(.minutes(5)))
struct OutsideStrategyTests {
    /// The right type of `load`.
    private static let right = "func load(_ key: String, fetch: @escaping Fetch) async throws -> Loaded<Data>"
    /// Types that are nearly right.
    private static let wrong = [
        "func load(_ key: String, fetch: @escaping @Sendable () async throws -> Data) async throws -> Loaded<Data>",
        "func load(_ key: String, fetch: @Sendable () async throws -> Data) async throws -> Loaded<Data>",
        "func load(_ key: String, fetch: @escaping Fetch) async throws -> Data",
        "func load(key: String, fetch: @escaping Fetch) async throws -> Loaded<Data>",
    ]

    private static let lineCount = 10

    /// A synchronous strategy with this `load`, in as many lines.
    private static func strategy(_ name: String, load: String) -> String {
        """
        struct \(name): SynchronousCacheStrategy {
            static var declaration: StrategyDeclaration { StrategyDeclaration(name: "own", summary: "") }

            init(configuration: StrategyConfiguration) {}
            func value(forKey key: String) -> Data? { nil }
            func insert(_ value: Data, forKey key: String, cost: Int) {}
            func removeValue(forKey key: String) {}
            func removeAll() {}
            \(load) { throw CancellationError() }
        }

        """
    }

    /// Type-checks strategies against the modules that the tests were built with.
    private static func check(_ strategies: [String]) async throws -> Program.Ending {
        let folder = try TemporaryFolder()
        let text = "import CacheStrategies\nimport Foundation\n\n" + strategies.joined()
        let file = try folder.write(text, to: "Own.swift")
        let build = URL(fileURLWithPath: Program.path).deletingLastPathComponent()
        let modules = build.appendingPathComponent("Modules")
        // The map of a C module, which the build makes.
        let readers = build.appendingPathComponent("CReaders.build")
        let systemLibraries = ["CZlib", "CCrypto"].flatMap { ["-I", "\(Program.root)/Sources/System/Libraries/\($0)"] }
        return try await Program.start(
            tool: "swiftc",
            ["-typecheck", "-swift-version", "6", "-I", modules.path, "-I", readers.path] + systemLibraries + [file]
        ).ending()
    }

    // In one run of the compiler, which takes longer to read the modules than to check them.
    @Test func `a load with the required type compiles, and one whose type is nearly right is an error`() async throws {
        let strategies =
            [Self.strategy("Right", load: Self.right)]
            + Self.wrong.enumerated().map { Self.strategy("Wrong\($0)", load: $1) }
        let ending = try await Self.check(strategies)
        #expect(ending.exitCode == 1)
        let errors = ending.errors.matches(of: #/Own\.swift:(\d+):\d+: error: (.*)/#)
        #expect(errors.allSatisfy { $0.2.contains("protocol 'CacheStrategy'") }, "\(ending.errors)")
        // The strategies follow three lines.
        let wrong = Set(errors.compactMap { Int($0.1) }.map { ($0 - 4) / Self.lineCount })
        #expect(wrong == Set(1...Self.wrong.count), "\(ending.errors)")
    }
}
