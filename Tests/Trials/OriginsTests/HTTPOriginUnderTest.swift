import Foundation

@testable import Origins
@testable import TrialModel

/// An origin at a scripted server, called by threads and by tasks.
struct HTTPOriginUnderTest: Sendable {
    enum Caller: CaseIterable { case thread, task }

    let server: ScriptedServer
    let port: Int
    let origin: HTTPOrigin

    init(_ server: ScriptedServer, port: Int, timeout: UInt64? = nil) async throws {
        self.server = server
        self.port = port
        origin = try await HTTPOrigin(
            address: "http://127.0.0.1:\(port)", trial: "t", scenarioSeed: 1, values: ScriptedServer.values,
            origin: OriginSpecification(kind: .server, delay: .fixed(0), timeout: timeout), concurrency: 4)
    }

    /// Loads a key.
    ///
    /// - Parameter thread: the thread of a caller that is a thread; `nil` for a thread that ends with the load.
    func load(_ key: UInt64, _ caller: Caller, on thread: LoadThread? = nil) async throws {
        guard caller == .thread else {
            _ = try await origin.fetch(key)
            return
        }
        let body = { @Sendable [origin] in Result { try origin.fetchBlocking(key, deadline: nil) } }
        let result = if let thread { await thread.run(body) } else { await LoadThread.once(body) }
        _ = try result.get()
    }
}
