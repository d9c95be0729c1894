package import Foundation
import NIOCore
import NIOPosix

/// A server started by this process, on a free port of this machine and in a folder of its own.
///
/// It is stopped by ``stop()``, when the last reference to it goes away, and when this process ends, even when it is
/// killed. If another process takes the port before the server binds it, the start is repeated with another port.
package final class LocalServer: Sendable {
    /// The address on which it listens.
    package let address: ServerAddress
    /// The server's process number.
    package let processNumber: Int32
    private let process: SupervisedProcess
    private let folder: URL

    /// The program to start, and how to recognise its server.
    package struct Program: Sendable {
        /// The program's name, as found on `PATH`.
        package var name: String
        /// The Debian package that contains it.
        package var package: String
        /// The program's arguments for a port and a folder.
        package var arguments: @Sendable (_ port: Int, _ folder: URL) -> [String]
        /// The process number that the server at an address reports; `nil` when no server answers.
        package var processNumber: @Sendable (ServerAddress) -> Int32?

        package init(
            name: String, package: String, arguments: @escaping @Sendable (_ port: Int, _ folder: URL) -> [String],
            processNumber: @escaping @Sendable (ServerAddress) -> Int32?
        ) {
            self.name = name
            self.package = package
            self.arguments = arguments
            self.processNumber = processNumber
        }
    }

    /// The most attempts with a free port.
    private static let attemptCount = 5
    /// The longest time for a start; it takes about 20 ms.
    private static let patience = Duration.seconds(10)

    /// Starts a server and waits until it answers. Blocks the thread for about 20 ms.
    ///
    /// - Parameter parent: the folder in which the server's folder is made; that folder is removed when the server
    ///   stops.
    /// - Throws: ``ServerError/notStarted(program:reason:)``, with the program's last line of output.
    package init(_ program: Program, in parent: URL) throws(ServerError) {
        guard let path = Self.path(of: program.name) else {
            throw .notStarted(program: program.name, reason: Self.absence(of: program) ?? "")
        }
        var failure = "no attempt was made"
        for _ in 0..<Self.attemptCount {
            let folder = parent.appendingPathComponent("\(program.name)-\(UUID().uuidString)", isDirectory: true)
            do {
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                let port = try Self.freePort()
                let process = try SupervisedProcess(
                    [path] + program.arguments(port, folder), in: folder.path)
                let address = ServerAddress(host: "127.0.0.1", port: port)
                if let number = Self.awaited(program, process, address, folder) {
                    (self.address, processNumber, self.process, self.folder) = (address, number, process, folder)
                    return
                }
                process.stop()
                failure = Self.lastLine(of: folder)
            } catch {
                failure = "\(error)"
            }
            try? FileManager.default.removeItem(at: folder)
        }
        throw .notStarted(program: program.name, reason: failure)
    }

    deinit { stop() }

    /// Kills the server and removes its folder. Later calls do nothing.
    package func stop() {
        process.stop()
        try? FileManager.default.removeItem(at: folder)
    }

    /// Whether the server has ended.
    package var hasEnded: Bool { process.hasEnded }

    /// The path of a program; `nil` when it isn't on `PATH`.
    package static func path(of program: String) -> String? {
        // Not every user's path has the administrators' programs, and memcached used to be one of them.
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        return (folders + ["/usr/sbin", "/usr/local/sbin"]).lazy.map { "\($0)/\(program)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// An error that says how to install a missing program; `nil` when it is installed.
    package static func absence(of program: Program) -> String? {
        path(of: program.name) == nil
            ? "\(program.name) is not on PATH; install the Debian package \(program.package)" : nil
    }

    /// Waits until the server answers and is ours: another server may have got the port.
    private static func awaited(
        _ program: Program, _ process: SupervisedProcess, _ address: ServerAddress, _ folder: URL
    ) -> Int32? {
        let deadline = ContinuousClock.now + patience
        while ContinuousClock.now < deadline, !process.hasEnded {
            if let said = program.processNumber(address) {
                let text = try? String(contentsOf: folder.appendingPathComponent("process"), encoding: .utf8)
                if let number = text.flatMap({ Int32($0.trimmingCharacters(in: .whitespacesAndNewlines)) }) {
                    return number == said ? said : nil
                }
            }
            usleep(3_000)
        }
        return nil
    }

    /// A port of the loopback address that no process listens on at the moment.
    private static func freePort() throws -> Int {
        let listener = try ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(host: "127.0.0.1", port: 0).wait()
        let port = listener.localAddress?.port
        try listener.close().wait()
        guard let port else { throw ServerError.notStarted(program: "listener", reason: "there is no free port") }
        return port
    }

    private static func lastLine(of folder: URL) -> String {
        let log = (try? String(contentsOf: folder.appendingPathComponent("log"), encoding: .utf8)) ?? ""
        return log.split(separator: "\n").last.map(String.init) ?? "it didn't answer, and printed nothing"
    }
}
