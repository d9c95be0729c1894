import CacheTrialsTesting
import Foundation
import Testing

/// Orders of caches that keep files: each has a folder of its own.
@Suite(.timeLimit(.minutes(2)))
struct OrdersOnDiskTests {
    @Test func `a synchronous cache of files is not accused`() async {
        await expectConsistentOrders(of: SynchronousFiles.self, orders: 200)
    }

    @Test func `the process of a check leaves no file open in that of the tests`() async throws {
        await expectConsistentOrders(of: SynchronousFiles.self, orders: 1)
        let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        let files = descriptors.compactMap {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
        }
        #expect(files.filter { $0.contains("/cache-trials-") && $0.hasSuffix(" (deleted)") } == [])
    }

    @Test func `an adapted cache of files is not accused, though it declares no durability`() async {
        let declaration = StrategyDeclaration(
            name: "adapted-files", summary: "a file for each key", promises: Promises(limit: .none))
        await expectConsistentOrders(adapting: declaration, orders: 200) { configuration in
            let files = try Files(configuration)
            return CacheOperations(
                get: { files[$0] }, set: { value, key, _ in files[key] = value }, remove: { files[$0] = nil },
                removeAll: { files.removeAll() })
        }
    }
}

/// A file for each key, in the folder of the configuration.
private final class Files: Sendable {
    private struct NoFolder: Error {}

    private let lock = NSLock()
    private let folder: URL

    init(_ configuration: StrategyConfiguration) throws {
        guard let folder = configuration.directory else { throw NoFolder() }
        self.folder = folder
    }

    subscript(key: Int) -> OrderedValue? {
        get {
            lock.withLock {
                FileManager.default.contents(atPath: path(key)).flatMap { try? OrderedValue(encoded: $0) }
            }
        }
        set {
            lock.withLock {
                try? FileManager.default.removeItem(atPath: path(key))
                if let newValue { _ = FileManager.default.createFile(atPath: path(key), contents: newValue.encoded()) }
            }
        }
    }

    func removeAll() {
        lock.withLock {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
            for name in names { try? FileManager.default.removeItem(at: folder.appendingPathComponent(name)) }
        }
    }

    private func path(_ key: Int) -> String { folder.appendingPathComponent("\(key)").path }
}

private final class SynchronousFiles: SynchronousCacheStrategy {
    private let files: Files

    static var declaration: StrategyDeclaration {
        StrategyDeclaration(name: "files", summary: "a file for each key", promises: Promises(limit: .none))
    }

    init(configuration: StrategyConfiguration) throws { files = try Files(configuration) }
    func value(forKey key: Int) -> OrderedValue? { files[key] }
    func insert(_ value: OrderedValue, forKey key: Int, cost: Int) { files[key] = value }
    func removeValue(forKey key: Int) { files[key] = nil }
    func removeAll() { files.removeAll() }
    func load(_ key: Int, fetch: @escaping Fetch) async throws -> Loaded<OrderedValue> {
        try await loadUnshared(key, fetch: fetch)
    }
}
