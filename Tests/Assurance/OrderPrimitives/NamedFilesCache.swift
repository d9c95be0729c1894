package import CacheStrategies
import Foundation
import Schedules
package import TimedStrategies

/// How the file of a key is named.
package protocol FileNaming: Sendable {
    static var name: String { get }
    static func file(of key: some Hashable) -> String
}

/// By the key itself.
package enum StableNaming: FileNaming {
    package static var name: String { "files-by-key" }
    package static func file(of key: some Hashable) -> String {
        "\(key)".utf8.map { String($0, radix: 16) }.joined(separator: "-")
    }
}

/// By Swift's hash, which has another seed in every process.
package enum HashNaming: FileNaming {
    // Broken on purpose: another process looks for other files.
    package static var name: String { "files-by-hash" }
    package static func file(of key: some Hashable) -> String { "\(key.hashValue)" }
}

/// A file for each entry.
package final class NamedFilesCache<Key: Hashable & Sendable, Value: CacheableValue, Naming: FileNaming>:
    SynchronousCacheStrategy
{
    private let folder: URL

    package static var declaration: StrategyDeclaration {
        StrategyDeclaration(
            name: Naming.name, summary: "a file for each entry", role: .control,
            promises: Promises(limit: .none, durability: .orderlyClose))
    }

    package init(configuration: StrategyConfiguration) {
        folder = configuration.directory ?? FileManager.default.temporaryDirectory
    }

    private func file(of key: Key) -> URL { folder.appendingPathComponent(Naming.file(of: key)) }

    package func value(forKey key: Key) -> Value? {
        (try? Data(contentsOf: file(of: key))).flatMap { try? Value(encoded: $0) }
    }

    package func insert(_ value: Value, forKey key: Key, cost: Int) {
        try? value.encoded().write(to: file(of: key), options: .atomic)
    }

    package func removeValue(forKey key: Key) { try? FileManager.default.removeItem(at: file(of: key)) }

    package func removeAll() {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        for name in names { try? FileManager.default.removeItem(at: folder.appendingPathComponent(name)) }
    }

    package func load(_ key: Key, fetch: @escaping Fetch) async throws -> Loaded<Value> {
        try await loadUnshared(key, fetch: fetch)
    }
}

extension Primitives {
    /// One whose files another process finds, and one whose files it does not find.
    package static let files = [
        Strategy(NamedFilesCache<Int, TrialValue, StableNaming>.self),
        Strategy(NamedFilesCache<Int, TrialValue, HashNaming>.self),
    ]
}
