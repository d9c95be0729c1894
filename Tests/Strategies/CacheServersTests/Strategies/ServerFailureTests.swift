import CacheStrategies
import Foundation
import Platform
import Testing

@testable import CacheServers

/// Strategies whose server is killed, stopped or shared with other caches.
@Suite(
    .timeLimit(.minutes(1)),
    .enabled(
        if: LocalServer.path(of: "redis-server") != nil && LocalServer.path(of: "memcached") != nil,
        "redis-server or memcached is not on PATH"))
struct ServerFailureTests {
    private static let folder = FileManager.default.temporaryDirectory

    private func configuration(_ name: String, _ address: ServerAddress, _ namespace: String) -> StrategyConfiguration {
        StrategyConfiguration(servers: CacheServers(addresses: [name: "\(address)"], namespace: namespace))
    }

    private static func start(_ name: String) throws -> LocalServer {
        let program = try #require(ServerPrograms.program(of: name))
        return try LocalServer(program, in: folder)
    }

    private func open(
        _ name: String, _ address: ServerAddress, _ namespace: String = "test"
    ) throws -> any CacheStrategy<String, Data> {
        let configuration = configuration(name, address, namespace)
        return name == "redis"
            ? try RedisCache<String, Data>(configuration: configuration)
            : try MemcachedCache<String, Data>(configuration: configuration)
    }

    @Test(arguments: ["redis", "memcached"])
    func `a server killed during requests is a miss for all callers, and no caller hangs`(name: String) async throws {
        let server = try Self.start(name)
        let cache = try open(name, server.address)
        await cache.insert(Data("a".utf8), forKey: "a", cost: 1)
        #expect(await cache.value(forKey: "a") == Data("a".utf8))
        let callers = (0..<8).map { caller in
            Task { () async throws -> Int in
                var loaded = 0
                for number in 0..<200 {
                    if number == 100, caller == 0 { kill(server.processNumber, SIGKILL) }
                    let bytes = Data("\(number)".utf8)
                    let value = try await cache.load("\(number)") { bytes }.value
                    #expect(value == bytes)
                    loaded += 1
                }
                return loaded
            }
        }
        for caller in callers { #expect(try await caller.value == 200) }
        #expect(await cache.value(forKey: "a") == nil)
        let statistics = await cache.statistics()
        #expect((statistics.failures ?? 0) > 0)
        #expect(statistics.firstFailure?.hasPrefix("\(server.address)") == true)
        #expect(statistics.loadsInFlight == 0)
        await cache.close()
    }

    // A value whose replacement was written while the server was away must not be found.
    @Test(arguments: ["redis", "memcached"])
    func `a value whose replacement was lost is never found again`(name: String) async throws {
        let server = try Self.start(name)
        let gate = try BreakableLine(to: server.address)
        let cache = try open(name, gate.address)
        await cache.insert(Data("old".utf8), forKey: "a", cost: 3)
        gate.cut()
        await cache.insert(Data("new".utf8), forKey: "a", cost: 3)
        gate.mend()
        #expect(await cache.value(forKey: "a") == nil)
        await cache.insert(Data("newer".utf8), forKey: "a", cost: 5)
        #expect(await cache.value(forKey: "a") == Data("newer".utf8))
        gate.cut()
        await cache.removeValue(forKey: "a")
        gate.mend()
        #expect(await cache.value(forKey: "a") == nil)
        await cache.close()
    }

    @Test(arguments: ["redis", "memcached"])
    func `caches with one namespace share entries, and other caches don't see them`(name: String) async throws {
        let server = try Self.start(name)
        let (one, two) = (try open(name, server.address), try open(name, server.address))
        let other = try open(name, server.address, "other")
        await one.insert(Data("one".utf8), forKey: "a", cost: 3)
        #expect(await two.value(forKey: "a") == Data("one".utf8))
        #expect(await other.value(forKey: "a") == nil)
        await other.insert(Data("other".utf8), forKey: "a", cost: 5)
        await one.removeAll()
        #expect(await one.value(forKey: "a") == nil)
        #expect(await other.value(forKey: "a") == Data("other".utf8))
        // Redis removes for all caches; memcached can't.
        #expect(await two.value(forKey: "a") == (name == "redis" ? nil : Data("one".utf8)))
        for cache in [one, two, other] { await cache.close() }
    }

    @Test func `a shared Redis keeps its settings, and entries expire after an hour`() async throws {
        let server = try Self.start("redis")
        let client = RedisClient(address: server.address)
        let before = try client.blockingAnswer(to: RESPCommand("CONFIG", "GET", "maxmemory*"))
        var configuration = configuration("redis", server.address, "test")
        configuration.costLimit = 1 << 20
        let cache = try RedisCache<String, Data>(configuration: configuration)
        await cache.insert(Data("a".utf8), forKey: "a", cost: 1)
        #expect(try client.blockingAnswer(to: RESPCommand("CONFIG", "GET", "maxmemory*")) == before)
        let lifetime = try client.blockingAnswer(to: RESPCommand("PTTL", "test:0:a")).integer
        #expect((1...3_600_000).contains(lifetime ?? 0))
        await cache.close()
    }

    @Test(arguments: ["redis", "memcached"])
    func `a private server has a memory limit, evicts, and reports evictions`(name: String) async throws {
        let configuration = StrategyConfiguration(costLimit: 4 << 20, directory: Self.folder)
        let cache: any CacheStrategy<String, Data> =
            name == "redis"
            ? try RedisCache<String, Data>(configuration: configuration)
            : try MemcachedCache<String, Data>(configuration: configuration)
        let value = Data(repeating: 7, count: 16 << 10)
        for number in 0..<1_000 { await cache.insert(value, forKey: "\(number)", cost: value.count) }
        let statistics = await cache.statistics()
        let held = try #require(statistics.entryCount)
        #expect((100...300).contains(held), "\(held) entries of 16 KiB in 4 MiB")
        #expect(try #require(statistics.evictions) == UInt64(1_000 - held))
        #expect(try #require(statistics.outsideBytes) >= held * value.count)
        #expect(statistics.failures == 0)
        await cache.close()
    }

    @Test func `an unreachable server is an error that says so`() {
        for name in ["redis", "memcached"] {
            let unreachable = ServerAddress(host: "127.0.0.1", port: 1)
            #expect {
                _ = try open(name, unreachable)
            } throws: {
                "\($0)".hasPrefix("127.0.0.1:1: no connection: ")
            }
        }
        #expect(throws: ServerAddress.Mistake.self) {
            try RedisCache<String, Data>(
                configuration: StrategyConfiguration(
                    servers: CacheServers(addresses: ["redis": "nowhere"], namespace: "test")))
        }
    }

    @Test(arguments: ["redis", "memcached"])
    func `entries expire by the server's clock`(name: String) async throws {
        let server = try Self.start(name)
        let client = RedisClient(address: server.address)
        var configuration = configuration(name, server.address, "test")
        configuration.timeToLive = .seconds(90)
        guard name == "redis" else {
            let cache = try MemcachedCache<String, Data>(configuration: configuration)
            await cache.insert(Data("a".utf8), forKey: "a", cost: 1)
            #expect(await cache.value(forKey: "a") != nil)
            return await cache.close()
        }
        let cache = try RedisCache<String, Data>(configuration: configuration)
        await cache.insert(Data("a".utf8), forKey: "a", cost: 1)
        let lifetime = try client.blockingAnswer(to: RESPCommand("PTTL", "test:0:a")).integer
        #expect((80_000...90_000).contains(lifetime ?? 0))
        await cache.close()
    }
}
