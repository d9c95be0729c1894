#if HTTP
    import FixtureServer

    /// A fixture server in this process, on a free port.
    enum FixtureServerInProcess {
        /// Why the server did not start.
        struct Failure: Error, CustomStringConvertible {
            let description: String
        }

        /// Runs `body` with the address of a server, and stops the server afterwards.
        static func with<Result: Sendable>(
            _ body: @Sendable (_ address: String) async throws -> Result
        ) async throws -> Result {
            let (ports, announcement) = AsyncStream<Int>.makeStream()
            let server = Task {
                defer { announcement.finish() }
                try await FixtureServer().run { announcement.yield($0) }
            }
            guard let port = await ports.first(where: { _ in true }) else {
                throw Failure(description: "the fixture server did not start: \(await server.result)")
            }
            let result: Swift.Result<Result, any Error>
            do {
                result = .success(try await body("http://127.0.0.1:\(port)"))
            } catch {
                result = .failure(error)
            }
            server.cancel()
            _ = await server.result
            return try result.get()
        }
    }
#endif
