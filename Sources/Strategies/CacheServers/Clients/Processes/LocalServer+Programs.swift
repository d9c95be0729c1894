import Foundation
import Platform

extension LocalServer.Program {
    /// A Redis server that keeps everything in memory.
    package static var redis: LocalServer.Program {
        LocalServer.Program(
            name: "redis-server", package: "redis-server",
            arguments: { port, folder in
                [
                    "--port", "\(port)", "--bind", "127.0.0.1", "--dir", folder.path, "--save", "", "--appendonly",
                    "no", "--daemonize", "no",
                ]
            },
            processNumber: { address in
                let connection = PipelinedConnection<RESPDecoder>(to: address, timeLimit: .seconds(2))
                defer { connection.close() }
                let info = try? connection.submit(RESPCommand("INFO", "server").bytes).blockingValue().text
                return info.flatMap { RedisInfo($0)["process_id"] }.flatMap { Int32($0) }
            })
    }

    /// A memcached server.
    ///
    /// - Parameters:
    ///   - mebibytes: the memory for items, from 1; memcached takes more while it has few items.
    ///   - itemByteCountMax: the largest item, its key included; at most half of the memory.
    package static func memcached(mebibytes: Int, itemByteCountMax: Int) -> LocalServer.Program {
        // It refuses to run as root without this option.
        let user = geteuid() == 0 ? ["-u", "root"] : []
        return LocalServer.Program(
            name: "memcached", package: "memcached",
            arguments: { port, _ in
                [
                    "-l", "127.0.0.1", "-p", "\(port)", "-U", "0", "-m", "\(mebibytes)", "-I", "\(itemByteCountMax)",
                ] + user
            },
            processNumber: { address in
                let client = MemcachedClient(address: address, connectionCount: 1, timeLimit: .seconds(2))
                defer { client.close() }
                return (try? client.blockingStatistics())?["pid"].flatMap { Int32($0) }
            })
    }
}
