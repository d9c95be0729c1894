package import Foundation
import NIOCore
import NIOPosix

/// A server of our own on a free port of this machine, in a folder of its own.
///
/// It is stopped by ``stop()``, when the last reference to it goes, and when this process ends, even when it is killed.
/// A port that somebody else takes between its choice and its use costs one more attempt.
package final class LocalServer: Sendable {
    /// Where it listens.
    package let address: ServerAddress
    /// The number of its process.
    package let processNumber: Int32
    private let process: SupervisedProcess
    private let folder: URL

    /// What is started, and how it is recognised.
    package struct Program: Sendable {
        /// The program's name, to be found on `PATH`.
        package var name: String
        /// Debian's package that has it.
        package var package: String
        /// Its arguments for a port and a folder.
        package var arguments: @Sendable (_ port: Int, _ folder: URL) -> [String]
        /// The process number that the server at an address tells of itself; `nil` when none answers.
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

    /// How often a free port is looked for.
    private static let attemptCount = 5
    /// How long a start may take; it takes about 20 ms.
    private static let patience = Duration.seconds(10)

    /// Starts a server and waits until it answers. Blocks the thread meanwhile, for about 20 ms.
    ///
    /// - Parameter parent: where its folder is made, which is removed when it stops.
    /// - Throws: `notStarted`, with what the program printed last.
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

    /// Kills the server and removes its folder. The second time nothing happens.
    package func stop() {
        process.stop()
        try? FileManager.default.removeItem(at: folder)
    }

    /// Whether the server has ended.
    package var hasEnded: Bool { process.hasEnded }

    /// Where a program is; `nil` when it isn't on `PATH`.
    package static func path(of program: String) -> String? {
        // Administrators' programs are not on everybody's path, and memcached was one.
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
        return (folders + ["/usr/sbin", "/usr/local/sbin"]).lazy.map { "\($0)/\(program)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// What to do about a program that isn't there; `nil` when it is.
    package static func absence(of program: Program) -> String? {
        path(of: program.name) == nil
            ? "\(program.name) is not on PATH; install the Debian package \(program.package)" : nil
    }

    /// Waits until the server answers and is ours: another one may have got the port.
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

    /// A port of the loopback address that nobody listens on at the moment.
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
