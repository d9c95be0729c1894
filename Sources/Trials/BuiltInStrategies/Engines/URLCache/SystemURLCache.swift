#if URLCache
    package import CacheStrategies
    package import Foundation
    import Locks
    import PersistentStrategies

    #if canImport(FoundationNetworking)
        import FoundationNetworking
    #endif

    /// Foundation's `URLCache` with its own rules: entries in memory, and each in a file.
    ///
    /// A quarter of the cost limit is its `memoryCapacity`, the rest its `diskCapacity`. A limit below 256 KiB counts as
    /// 256 KiB; without a limit they are 64 MiB and 1 GiB. `URLCache` counts serialised bytes, not the entries' costs, and
    /// has no limit by number of entries. Lifetimes are up to `URLSession`, not to the cache.
    ///
    /// Behaviour of Foundation for Linux (swift-corelibs-foundation, read in `URLCache.swift`), and how this strategy
    /// handles it:
    ///
    /// - A key that is stored twice is in its list twice, and the second eviction of it ends the process. Each store
    ///   therefore removes the key first. One lock covers both steps, for two callers that store one key.
    /// - A value that doesn't fit on disk leaves the file of the older value, which is found again later. The same removal
    ///   prevents that.
    /// - Its keys are host, port and path; a query is ignored. Files are named by the Base64 of the key. A `/` in it names
    ///   a folder that doesn't exist, and a long key makes no valid name: such entries are not stored on disk. Keys are
    ///   paths of hexadecimal digits here, which cause neither.
    /// - It evicts first in, first out, in memory and on disk: hits don't count.
    /// - Every insert archives the entry, adds up the sizes of all entries in memory, lists the folder twice and asks for
    ///   the size of every file in it; every miss in memory lists the folder. Files are written before the insert returns.
    ///   Measured with Swift 6.3.1 on two busy cores: 8 ms to store 1 KiB and 18 ms to store 32 KiB in an empty folder, 11
    ///   ms more among 200 files; 2 ms for a miss among 220 files, and 9 ms to read 32 KiB. Trials of full size need a
    ///   longer `--deadline`.
    /// - An entry as large as a level's capacity is not kept on that level; Apple's rule of 5 % doesn't apply.
    package final class SystemURLCache<Key: CacheableKey, Value: CacheableValue>: SynchronousCacheStrategy,
        @unchecked Sendable
    {
        // Sound although unchecked: `cache` and `loads` are touched only while `guardian` is held.
        private let guardian = Lock()
        private let cache: URLCache
        private var loads = LoadRegister<Key>()
        private let costLimit: Int?

        package static var declaration: StrategyDeclaration {
            StrategyDeclaration(
                name: "urlcache",
                summary: "Foundation's URLCache behind one lock: memory and files, first in, first out",
                bounds: [.cost],
                promises: Promises(
                    limit: .approximate, durability: .killSafe, admission: .notWhenFull, keepsNewerWrites: true))
        }

        /// An archive adds about 1 KiB to an entry's bytes, so that a smaller cache would hold next to nothing.
        private static var capacityMin: Int { 256 << 10 }

        /// Why a cache doesn't open.
        package enum OpenError: Error, CustomStringConvertible {
            /// The configuration names no folder; `URLCache` would use one that all programs of the same name share.
            case noDirectory

            package var description: String { "a URLCache needs a folder: set `directory` in its configuration" }
        }

        package init(configuration: StrategyConfiguration) throws {
            guard let directory = configuration.directory else { throw OpenError.noDirectory }
            let folder = directory.appendingPathComponent("urlcache", isDirectory: true)
            costLimit = configuration.costLimit.map { max($0, 0) }
            let capacity = costLimit.map { max($0, Self.capacityMin) }
            let memory = capacity.map { $0 / 4 } ?? 64 << 20
            let disk = capacity.map { $0 - $0 / 4 } ?? 1 << 30
            #if canImport(FoundationNetworking)
                cache = URLCache(memoryCapacity: memory, diskCapacity: disk, diskPath: folder.path)
            #else
                cache = URLCache(memoryCapacity: memory, diskCapacity: disk, directory: folder)
            #endif
        }

        deinit { guardian.destroy() }

        /// A table lookup, or on a miss in memory a folder listing and a file read. Bytes that don't decode are removed.
        package func value(forKey key: Key) -> Value? {
            guard let request = Self.request(for: key) else { return nil }
            guard let found = guardian.withLock({ cache.cachedResponse(for: request)?.data }) else { return nil }
            if let value = try? Value(encoded: found) { return value }
            removeValue(forKey: key)
            return nil
        }

        package func insert(_ value: Value, forKey key: Key, cost: Int) {
            let fits = cost <= costLimit ?? .max
            let bytes = fits ? try? value.encoded() : nil
            guard let request = Self.request(for: key) else { return }
            guardian.withLock {
                loads.noteWrite(to: key)
                store(bytes, request)
            }
        }

        package func removeValue(forKey key: Key) {
            guard let request = Self.request(for: key) else { return }
            guardian.withLock {
                loads.noteWrite(to: key)
                cache.removeCachedResponse(for: request)
            }
        }

        package func removeAll() {
            guardian.withLock {
                loads.noteRemovalOfAll()
                cache.removeAllCachedResponses()
            }
        }

        package func load(_ key: Key, fetch: @escaping @Sendable () async throws -> Data) async throws -> Loaded<Value>
        {
            if let value = value(forKey: key) { return Loaded(value, .hit) }
            return try await LoadRegister.load(key, fetch, begin: beginLoad, keep: { ($0, $1) }, end: endLoad)
        }

        package func loadBlocking(_ key: Key, fetch: () throws -> Data) throws -> Loaded<Value> {
            if let value = value(forKey: key) { return Loaded(value, .hit) }
            return try LoadRegister.loadBlocking(key, fetch, begin: beginLoad, keep: { ($0, $1) }, end: endLoad)
        }

        /// `URLCache` counts neither its entries nor what it evicts.
        package func statistics() -> CacheStatistics {
            CacheStatistics(loadsInFlight: guardian.withLock { loads.count })
        }

        private func beginLoad(of key: Key) -> LoadRegister<Key>.Ticket { guardian.withLock { loads.begin(key) } }

        private func endLoad(_ ticket: LoadRegister<Key>.Ticket, _ fetched: (value: Value, encoded: Data)?) {
            guardian.withLock {
                guard loads.end(ticket, inserts: fetched != nil), let fetched, fetched.value.cost <= costLimit ?? .max,
                    let request = Self.request(for: ticket.key)
                else { return }
                store(fetched.encoded, request)
            }
        }

        /// Stores bytes in place of the older ones; `nil` stores nothing.
        private func store(_ bytes: Data?, _ request: URLRequest) {
            cache.removeCachedResponse(for: request)
            guard let bytes, let url = request.url else { return }
            let response = URLResponse(
                url: url, mimeType: "application/octet-stream", expectedContentLength: bytes.count,
                textEncodingName: nil)
            cache.storeCachedResponse(CachedURLResponse(response: response, data: bytes), for: request)
        }

        /// The request that represents a key; never `nil`, because hexadecimal digits always make a path.
        private static func request(for key: Key) -> URLRequest? {
            let bytes = key.bytes
            let isShort = bytes.count <= 32
            let path = isShort ? "k" + bytes.map(Self.digits).joined() : "d" + KeyDigest(of: bytes).fileName
            return URL(string: "http://cache.invalid/" + path).map { URLRequest(url: $0) }
        }

        private static func digits(_ byte: UInt8) -> String {
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
    }
#endif
