import Foundation
import TrialModel

/// nginx as the server and wrk as its client: what a load costs with programs that do nothing else. Neither checks a
/// body, finds a key or records an operation by its outcome.
///
/// Sources: nginx.org; github.com/wg/wrk.
final class WebServerPeer {
    private let wrk: String
    private let nginx: Process
    private let address: String

    /// Starts nginx with a body of 1 KiB; `nil` where one of the programs is not installed.
    init?(in folder: URL) throws {
        guard let wrk = Self.file("wrk"), let server = Self.file("nginx") else { return nil }
        let port = Int.random(in: 20_000..<30_000)
        let body = folder.appendingPathComponent("www/body")
        try FileManager.default.createDirectory(
            at: body.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(repeating: 120, count: 1024).write(to: body)
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map { "\($0)_temp_path \(folder.path)/\($0);" }.joined(separator: " ")
        let settings = """
            daemon off; worker_processes auto; pid \(folder.path)/nginx.pid; error_log stderr crit;
            events { worker_connections 1024; }
            http {
              access_log off; keepalive_requests 1000000000; \(temporary)
              server { listen 127.0.0.1:\(port); root \(folder.path)/www; }
            }

            """
        let file = folder.appendingPathComponent("nginx.conf")
        try settings.write(to: file, atomically: true, encoding: .utf8)
        // Its workers may be of another user.
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path)
        self.wrk = wrk
        address = "http://127.0.0.1:\(port)/body"
        nginx = try ChildProgram.start(server, ["-c", file.path, "-p", folder.path])
    }

    deinit {
        nginx.terminate()
        nginx.waitUntilExit()
    }

    /// Loads for two seconds over as many connections, each of which waits for its answer.
    ///
    /// - Returns: the median in nanoseconds, and the loads per second.
    func measure(connections: Int) throws -> (p50: Double, perSecond: Double) {
        let output = Pipe()
        defer { try? output.fileHandleForReading.close() }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: wrk)
        process.arguments = ["-t1", "-c\(connections)", "-d2s", "--latency", address]
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        let units = ["us": 1e3, "ms": 1e6, "s": 1e9]
        guard let median = text.firstMatch(of: /50% +([0-9.]+)(us|ms|s)/),
            let rate = text.firstMatch(of: /Requests\/sec: +([0-9.]+)/).flatMap({ Double($0.1) }),
            let number = Double(median.1), let unit = units[String(median.2)], !text.contains("Non-2xx")
        else { throw HarnessError("wrk did not measure nginx: \(text)") }
        return (number * unit, rate)
    }

    private static func file(_ name: String) -> String? {
        let folders =
            (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init) + ["/usr/sbin"]
        return folders.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }
}
