import Foundation
import Subprocess
import TrialModel

/// The fixture server as a child process: its work is not the cache's, and its log is nobody's belief.
package final class FixtureServerProcess: Sendable {
    /// Where it listens, such as `http://127.0.0.1:40123`.
    package let address: String
    private let process: Task<Void, Never>

    private init(address: String, process: Task<Void, Never>) {
        self.address = address
        self.process = process
    }

    /// Starts the server on a free port and waits until it has announced its address.
    ///
    /// - Throws: ``HarnessError`` when it does not come up within ten seconds.
    package static func start(executable: String) async throws -> FixtureServerProcess {
        let (announcements, announce) = AsyncStream.makeStream(of: String.self)
        let process = Task {
            defer { announce.finish() }
            let configuration = ChildProcess.configuration(
                executable: executable, arguments: ["serve", "--port", "0", "--until-input-closes"])
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

    /// Ends the server and waits until it is gone.
    package func stop() async {
        process.cancel()
        await process.value
    }
}
