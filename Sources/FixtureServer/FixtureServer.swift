import Hummingbird
import Logging
package import Payloads

/// How the fixture server is set up.
package struct FixtureServerConfiguration: Codable, Hashable, Sendable {
    /// The address to listen on.
    package var host = "127.0.0.1"
    /// The port to listen on; 0 for any that is free.
    package var port = 0
    /// How many trials may be registered at once.
    package var trialCountMax = 1_000
    /// How many requests of a trial are listed; the counts stay exact beyond.
    package var entryCountMax = 1_000_000
    /// The most bytes of encoded payloads that are kept for trials with the same values and seed, so that a picture
    /// is compressed once for all strategies and repetitions.
    package var templateByteCountMax = 256 << 20
    /// The largest body of a request, in bytes.
    package var bodyByteCountMax = 64 << 10

    package init() {}
}

/// The HTTP server that plays the origin, with scripted delay and size, and its log of every request.
///
/// One server serves all trials: each registers itself under an id (`PUT /trials/<id>`), asks for values, reads the
/// log and is freed. `GET /` explains it to people.
package struct FixtureServer: Sendable {
    private let configuration: FixtureServerConfiguration
    private let registry: TrialRegistry

    package init(configuration: FixtureServerConfiguration = FixtureServerConfiguration()) {
        self.configuration = configuration
        registry = TrialRegistry(configuration: configuration)
    }

    /// Registers a trial without a request, as `PUT /trials/<id>` would, but prepares nothing.
    ///
    /// - Throws: `FixtureServerError` when the id or the registration is refused.
    package func register(_ registration: TrialRegistration, as id: String) throws(FixtureServerError) {
        _ = try registry.register(registration, as: id)
    }

    /// Serves until the task is cancelled; then it closes all connections and returns.
    ///
    /// - Parameter onReady: called once the server accepts connections, with its port.
    /// - Throws: when the address can't be listened on.
    package func run(onReady: @escaping @Sendable (_ port: Int) async -> Void) async throws {
        FileDescriptorLimit.raise()
        let application = Application(
            responder: FixtureResponder(registry: registry, bodyByteCountMax: configuration.bodyByteCountMax),
            server: .http1(configuration: .init(additionalChannelHandlers: [AnswerTimer()])),
            configuration: ApplicationConfiguration(
                address: .hostname(configuration.host, port: configuration.port), backlog: 4_096
            ),
            onServerRunning: { await onReady($0.localAddress?.port ?? configuration.port) },
            // Standard output belongs to the verb, which announces the address there.
            logger: Self.logger
        )
        try await application.run()
    }

    private static var logger: Logger {
        var logger = Logger(label: "fixture-server") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = .critical
        return logger
    }
}

/// Why the fixture server refuses something.
package enum FixtureServerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The id is not 1 to 200 letters, digits, `.`, `_` or `-`.
    case badTrialName(String)
    /// The registration is wrong, and why.
    case badRegistration([String])
    /// There are as many trials as there may be.
    case tooManyTrials(limit: Int)

    package var description: String {
        switch self {
        case .badTrialName(let id):
            "trial id '\(id.prefix(200))': a trial's id is 1 to 200 letters, digits, '.', '_' or '-'"
        case .badRegistration(let mistakes): mistakes.joined(separator: "\n")
        case .tooManyTrials(let limit): "\(limit) trials are registered; DELETE one first"
        }
    }
}
