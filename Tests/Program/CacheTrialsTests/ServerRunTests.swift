import CacheServers
import Foundation
import TestTiers
import Testing

/// Runs against caches that are servers or engines, as a user starts them.
@Suite(
    .timeLimit(.minutes(5)), .serialized,
    .enabled(
        if: LocalServer.path(of: "redis-server") != nil && LocalServer.path(of: "memcached") != nil,
        "redis-server or memcached is not on PATH"))
struct ServerRunTests {
    private static let scenario = """
        title: A small one for servers
        seed: 7
        repetitions: 1
        keys: { kind: string, count: 2000, popularity: { zipf: 0.8 } }
        values: { kind: bytes, size: 32 KiB }
        capacity: { bytes: 8 MiB }
        origin: { kind: memory }
        phases:
          - { name: counted, operations: 1000, clients: 4, mix: { load: 8, write: 1, remove: 1 } }
          - { name: timed, duration: DURATION, clients: 4, mix: { load: 1 } }

        """

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func start(_ duration: String, verb: String = "run", _ arguments: String...) throws -> RunningProgram {
        let text = Self.scenario.replacingOccurrences(of: "DURATION", with: duration)
        let file = try folder.write(text, to: "servers.yaml")
        return try Program.start([verb, file, "--quiet", "--output", "\(folder.path)/out"] + arguments)
    }

    private func rows(_ name: String) throws -> [[String: String]] { try records(of: "\(folder.path)/out/\(name)") }

    /// The process identifiers of the servers that are descendants of a program.
    private func servers(of program: RunningProgram, _ name: String) throws -> [Int32] {
        guard let trial = program.children(running: "trial").first else { return [] }
        let all = try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { Int32($0) }
        func parent(_ process: Int32) -> Int32? {
            let text = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
            return text.split(separator: ")").last?.split(separator: " ").dropFirst().first.flatMap { Int32($0) }
        }
        return all.filter { process in
            let line = (try? String(contentsOfFile: "/proc/\(process)/cmdline", encoding: .utf8)) ?? ""
            // The shells between the trial and its server have its name among their arguments.
            return !line.hasPrefix("/bin/sh") && line.contains(name) && parent(process).flatMap(parent) == trial
        }
    }

    /// The number of lookups that a running server has received; 0 when it doesn't answer.
    private func lookups(of process: Int32) -> Int {
        let line = (try? String(contentsOfFile: "/proc/\(process)/cmdline", encoding: .utf8)) ?? ""
        guard let port = line.firstMatch(of: /127\.0\.0\.1:(\d+)|-p\0(\d+)/).flatMap({ Int($0.1 ?? $0.2 ?? "") }) else {
            return 0
        }
        let address = ServerAddress(host: "127.0.0.1", port: port)
        if line.contains("memcached") {
            let client = MemcachedClient(address: address)
            defer { client.close() }
            return (try? client.blockingStatistics())?["cmd_get"].flatMap { Int($0) } ?? 0
        }
        let client = RedisClient(address: address)
        defer { client.close() }
        let info = RedisInfo((try? client.blockingAnswer(to: RESPCommand("INFO", "stats")))?.text ?? "")
        return ["keyspace_hits", "keyspace_misses"].reduce(0) { $0 + (info[$1].flatMap { Int($0) } ?? 0) }
    }

    private func isAlive(_ process: Int32) -> Bool { FileManager.default.fileExists(atPath: "/proc/\(process)/exe") }

    @Test func `servers keep their limit, and their own statistics are in the rows`() async throws {
        let ending = try await start("200 ms", "--strategies", "redis,memcached").ending()
        #expect(ending.exitCode == 0, "\(ending.errors)")
        #expect(Set(try rows("trials.csv").map { $0["status"] }) == ["completed"])
        for name in ["redis", "memcached"] {
            let hits = try #require(
                try rows("hit-rate.csv").first { $0["strategy"] == name && $0["phase"] == "counted" })
            #expect(try #require(hits["evictions"].flatMap { UInt64($0) }) > 0, "\(name)")
            let memory = try #require(
                try rows("memory.csv").first { $0["strategy"] == name && $0["phase"] == "timed" })
            // Besides the value's own 32 KiB: the key, and the server's overhead of an entry.
            #expect((8...32_768).contains(try #require(memory["bytes_per_entry"].flatMap(Double.init))), "\(name)")
        }
    }

    @Test(.nightly) func `servers are checked for their promises, and keep them`() async throws {
        let ending = try await start("100 ms", verb: "check", "--strategies", "redis,memcached", "--smoke").ending()
        #expect(ending.exitCode == 0, "\(ending.errors)")
        let verdicts = try rows("consistency.csv")
        #expect(!verdicts.contains { $0["verdict"] == "inconsistent" })
        #expect(Set(verdicts.map { $0["strategy"] }).isSuperset(of: ["redis", "memcached"]))
    }

    @Test(.nightly, arguments: ["redis", "memcached"])
    func `a killed server is a phase that crashed, and all other results are kept`(name: String) async throws {
        let program = try start("6 s", "--strategies", "\(name),lru")
        var found: Int32?
        // Not before the second phase: finished phases must stay unchanged, and a failed start is retried.
        try await eventually {
            found = try servers(of: program, name).first
            return found.map { lookups(of: $0) > 1_000 } ?? false
        }
        kill(try #require(found), SIGKILL)
        let ending = await program.ending()
        #expect(ending.exitCode == 3, "\(ending.errors)")
        let trials = try records(of: "\(folder.path)/out/trials.csv")
        #expect(trials.count == 4)
        #expect(trials.filter { $0["strategy"] == "lru" }.allSatisfy { $0["status"] == "completed" })
        let timed = try #require(trials.first { $0["strategy"] == name && $0["phase"] == "timed" })
        #expect(timed["status"] == "crashed")
        #expect(timed["reason"]?.contains("operations of the cache failed; the first: 127.0.0.1:") == true, "\(timed)")
    }

    // The system closes the pipe that the server's watcher reads.
    @Test(arguments: TestTier.isNightly ? ["redis", "memcached"] : ["redis"])
    func `a server doesn't outlive its trial, even when the trial is killed`(name: String) async throws {
        let program = try start("60 s", "--strategies", name)
        var found: Int32?
        try await eventually {
            found = try servers(of: program, name).first
            return found != nil
        }
        let server = try #require(found)
        kill(try #require(program.children(running: "trial").first), SIGKILL)
        await eventually { !isAlive(server) }
        program.send(signal: SIGINT)
        _ = await program.ending()
    }

    @Test func `a server that is already running is used, and left unchanged`() async throws {
        let server = try LocalServer(.redis, in: URL(fileURLWithPath: folder.path))
        let connection = PipelinedConnection<RESPDecoder>(to: server.address)
        _ = try await connection.submit(RESPCommand("SET", "others", "value").bytes).value()
        let before = try await connection.submit(RESPCommand("CONFIG", "GET", "maxmemory").bytes).value()
        let program = try start("100 ms", "--strategies", "redis", "--redis", "\(server.address)")
        let ending = await program.ending()
        #expect(ending.exitCode == 0, "\(ending.errors)")
        #expect(try await connection.submit(RESPCommand("GET", "others").bytes).value().text == "value")
        #expect(try await connection.submit(RESPCommand("CONFIG", "GET", "maxmemory").bytes).value() == before)
        let info = try await connection.submit(RESPCommand("INFO", "stats").bytes).value().text ?? ""
        #expect(RedisInfo(info)["keyspace_hits"].flatMap { Int($0) } ?? 0 > 100)
        connection.close()
    }

    @Test func `a password comes from the environment, and is in no result and no message`() async throws {
        let secret = "never-to-be-seen"
        var program = LocalServer.Program.redis
        let plain = program.arguments
        program.arguments = { plain($0, $1) + ["--requirepass", secret] }
        program.processNumber = { address in
            let client = RedisClient(
                address: address, credentials: ServerCredentials(password: secret), timeLimit: .seconds(2))
            defer { client.close() }
            let info = try? client.blockingAnswer(to: RESPCommand("INFO", "server")).text
            return info.flatMap { RedisInfo($0)["process_id"] }.flatMap { Int32($0) }
        }
        let server = try LocalServer(program, in: URL(fileURLWithPath: folder.path))
        let text = Self.scenario.replacingOccurrences(of: "DURATION", with: "100 ms")
        let file = try folder.write(text, to: "servers.yaml")
        func run(_ output: String, _ environment: [String: String]) async throws -> Program.Ending {
            try await Program.start(
                [
                    "run", file, "--quiet", "--strategies", "redis", "--redis", "\(server.address)", "--output",
                    "\(folder.path)/\(output)",
                ], shell: #"exec "$@""#, environment: environment
            ).ending()
        }
        let known = try await run("out", ["CACHE_TRIALS_REDIS_PASSWORD": secret])
        #expect(known.exitCode == 0, "\(known.errors)")
        #expect(Set(try rows("trials.csv").map { $0["status"] }) == ["completed"])
        let unknown = try await run("unknown", [:])
        #expect(unknown.exitCode == 2)
        #expect(unknown.errors.contains("NOAUTH"), "\(unknown.errors)")
        #expect(unknown.errors.contains("Set CACHE_TRIALS_REDIS_PASSWORD"), "\(unknown.errors)")
        var endings = [known, unknown]
        if TestTier.isNightly {
            endings.append(try await run("wrong", ["CACHE_TRIALS_REDIS_PASSWORD": "x\(secret)"]))
            #expect(endings.last?.exitCode == 2)
        }
        for ending in endings { #expect(!(ending.output + ending.errors).contains(secret)) }
        let names = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
        #expect(names.count > 10)
        for name in names where !name.hasPrefix("redis-server") {
            let content = FileManager.default.contents(atPath: "\(folder.path)/\(name)") ?? Data()
            #expect(content.range(of: Data(secret.utf8)) == nil, "\(name)")
        }
    }

    @Test func `a named server that is missing is not the strategy's fault`() async throws {
        let ending = try await start("100 ms", "--strategies", "redis", "--redis", "127.0.0.1:1").ending()
        #expect(ending.exitCode == 2, "\(ending.errors)")
        #expect(ending.errors.contains("Connection refused"), "\(ending.errors)")
        #expect(try rows("trials.csv").allSatisfy { $0["status"] != "crashed" })
    }

    @Test func `a missing program is named before anything runs`() async throws {
        let file = try folder.write(Self.scenario.replacingOccurrences(of: "DURATION", with: "1 s"), to: "servers.yaml")
        let ending = try await Program.start(
            ["run", file, "--strategies", "redis", "--output", "\(folder.path)/out"], shell: #"PATH=/none; exec "$@""#
        ).ending()
        #expect(ending.exitCode == 2)
        #expect(
            ending.errors.contains(
                "the strategy redis can't be run: redis-server is not on PATH; install the Debian package redis-server, "
                    + "or name a server with --redis host:port"), "\(ending.errors)")
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/out"))
    }

    @Test(arguments: ["nowhere", "host:0", "a:1,b:2"])
    func `an invalid address is wrong usage`(text: String) async throws {
        let ending = await Program.here(
            "run", "Scenarios/scan.yaml", "--strategies", "redis", "--redis", text)
        #expect(ending.exitCode == 64)
        #expect(ending.errors.contains("'--redis': '\(text)' is not the address of "), "\(ending.errors)")
    }
}
