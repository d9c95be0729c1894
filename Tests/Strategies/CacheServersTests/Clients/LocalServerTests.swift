import Foundation
import Platform
import Testing

@testable import CacheServers

@Suite(.timeLimit(.minutes(1)))
struct LocalServerTests {
    private func isAlive(_ process: Int32) -> Bool { kill(process, 0) == 0 }

    @Test(.enabled(if: Programs.hasRedis, "redis-server is not on PATH"))
    func `a server answers once it is started, and is gone once it is stopped`() throws {
        let server = try Programs.start(.redis)
        #expect(isAlive(server.processNumber))
        let connection = PipelinedConnection<RESPDecoder>(to: server.address)
        #expect(try connection.submit(RESPCommand("PING").bytes).blockingValue() == .simple("PONG"))
        connection.close()
        server.stop()
        #expect(!isAlive(server.processNumber))
        server.stop()
    }

    @Test(.enabled(if: Programs.hasMemcached, "memcached is not on PATH"))
    func `two servers run side by side, each on its own port`() throws {
        let first = try Programs.start(.memcached(mebibytes: 1, itemByteCountMax: 1 << 19))
        let second = try Programs.start(.memcached(mebibytes: 2, itemByteCountMax: 1 << 20))
        #expect(first.address != second.address)
        first.stop()
        #expect(isAlive(second.processNumber))
        second.stop()
        #expect(!isAlive(second.processNumber))
    }

    @Test(.enabled(if: Programs.hasRedis, "redis-server is not on PATH"))
    func `a server that exits by itself is reported as ended`() throws {
        let server = try Programs.start(.redis)
        #expect(!server.hasEnded)
        kill(server.processNumber, SIGKILL)
        while !server.hasEnded { sched_yield() }
        #expect(!isAlive(server.processNumber))
    }

    @Test func `an error about a missing program names its package`() {
        let program = LocalServer.Program(
            name: "no-such-program", package: "no-such-package", arguments: { _, _ in [] }, processNumber: { _ in nil })
        #expect(
            LocalServer.absence(of: program)
                == "no-such-program is not on PATH; install the Debian package no-such-package")
        #expect(throws: ServerError.self) { try Programs.start(program) }
    }

    @Test func `an error about a program that exits at once says why`() {
        let program = LocalServer.Program(
            name: "sh", package: "dash", arguments: { _, _ in ["-c", "echo the port is taken >&2; exit 1"] },
            processNumber: { _ in nil })
        #expect {
            _ = try Programs.start(program)
        } throws: {
            "\($0)" == "sh did not start: the port is taken"
        }
    }

    // As when a process is killed: the system closes its open files.
    @Test func `a program ends when its starter's end of the pipe is closed`() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let process = try SupervisedProcess(["/bin/sleep", "1000"], in: folder.path)
        process.letGo()
        while !process.hasEnded { sched_yield() }
        let number = try Int32(
            String(contentsOf: folder.appendingPathComponent("process"), encoding: .utf8)
                .trimmingCharacters(in: .whitespacesAndNewlines))
        #expect(number.map(isAlive) == false)
    }
}
