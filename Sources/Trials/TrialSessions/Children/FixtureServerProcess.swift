import Foundation
import Subprocess
import TrialModel

/// The fixture server as a child process, so that its work is not counted as the cache's. Its log is authoritative: it
/// counts requests where they arrive.
package final class FixtureServerProcess: Sendable {
    /// The address it listens on, such as `http://127.0.0.1:40123`.
    package let address: String
    private let process: Task<Void, Never>

    private init(address: String, process: Task<Void, Never>) {
        self.address = address
        self.process = process
    }

    /// Starts the server on a free port and waits until it has announced its address.
    ///
    /// - Parameter keyTables: the folder of the files with sizes and lifetimes of keys, which need not exist yet.
    /// - Throws: ``HarnessError`` when it does not start within ten seconds.
    package static func start(executable: String, keyTables: String) async throws -> FixtureServerProcess {
        let (announcements, announce) = AsyncStream.makeStream(of: String.self)
        let process = Task {
            defer { announce.finish() }
            let configuration = ChildCall.configuration(
                executable: executable,
                arguments: ["serve", "--port", "0", "--until-input-closes", "--key-tables", keyTables])
            _ = try? await Subprocess.run(
                configuration, input: .inputWriter, output: .sequence, error: .currentStandardError
            ) { execution in
                for try await line in execution.standardOutput.strings() {
                    announce.yield(line.trimmingCharacters(in: .whitespacesAndNewlines))
                }
            }
        }
        let timer = Task {
            try await Task.sleep(for: .seconds(10))
            process.cancel()
        }
        defer { timer.cancel() }
        for await line in announcements where line.hasPrefix("http://") {
            return FixtureServerProcess(address: line, process: process)
        }
        process.cancel()
        throw HarnessError(
            "the fixture server did not start: run '\(ProgramName.current) serve' to see why; "
                + "it needs a free port on the loopback address 127.0.0.1")
    }

    /// Stops the server and waits until it has ended.
    package func stop() async {
        process.cancel()
        await process.value
    }
}
