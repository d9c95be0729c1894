#if HTTP
    import ArgumentParser
    import FixtureServer
    import Foundation
    import Origins
    import ScenarioFiles
    import TrialModel
    import BuiltInStrategies
    import TimedStrategies
    import TrialSessions

    /// `serve`: the fixture server alone.
    struct ServeCommand: Verb {
        static let configuration = CommandConfiguration(
            commandName: "serve",
            abstract: "Runs the fixture server alone, and prints its address.",
            discussion: """
                Examples:
                  \(ThisProgram.name) serve --port 8080
                  \(ThisProgram.name) serve Scenarios/large-images.yaml
                  curl http://127.0.0.1:8080/trials/default/values/7 > seven.png

                Ctrl-C ends it. It listens on the loopback address only, unless --host
                names another one.
                """)

        @Argument(
            help: "A scenario whose values and delays are served as trial 'default'.",
            completion: .file(extensions: ["yaml", "yml"]))
        var scenario: String?

        @Option(help: "The address to listen on.")
        var host = "127.0.0.1"

        @Option(help: "The port to listen on, from 0 to 65535; 0 takes a free one.")
        var port = 0

        @Option(
            help: ArgumentHelp(
                "The folder of the files that registrations may name, with sizes and lifetimes of keys.",
                visibility: .hidden))
        var keyTables: String?

        @Flag(help: ArgumentHelp("End when standard input closes.", visibility: .hidden))
        var untilInputCloses = false

        func validate() throws {
            guard (0...65_535).contains(port) else {
                throw ValidationError("'--port \(port)': a port is a whole number from 0 to 65535.")
            }
        }

        func carryOut() async throws -> TrialExitCode {
            if untilInputCloses { ChildRole.exitWhenInputCloses() }
            var configuration = FixtureServerConfiguration()
            configuration.host = host
            configuration.port = port
            let server = try server(configuration)
            let host = host
            let interruption = await Interruption.cancelling {
                try await server.run { port in
                    print("http://\(host):\(port)")
                    fflush(nil)
                }
            }
            if case .failed(let error) = interruption {
                throw Refusal("the fixture server can't listen on \(host):\(port): \(error)", .harnessTrouble)
            }
            return .passed
        }

        /// The server with the trial called `default`: the scenario's values, or small pictures without delay.
        private func server(_ configuration: FixtureServerConfiguration) throws -> FixtureServer {
            var configuration = configuration
            configuration.keyTableFolder = keyTables
            guard let scenario else {
                let server = FixtureServer(configuration: configuration)
                let pictures = TrialRegistration(
                    seed: 1, values: ValueSpecification(kind: .image, size: .fixed(64 * 1024)),
                    origin: OriginSpecification(kind: .server, delay: .fixed(0)))
                try server.register(pictures, as: "default")
                return server
            }
            let read: Scenario
            do throws(ScenarioFileError) {
                read = try ScenarioArguments.reader(strategies: StrategyRegistry.knownNames).read(path: scenario)
            } catch {
                for mistake in error.mistakes { StandardError.write(mistake.description) }
                throw ExitCode(TrialExitCode.badInput.rawValue)
            }
            // The server has read the sizes when the registration returns.
            let folder = try FileManager.default.url(
                for: .itemReplacementDirectory, in: .userDomainMask,
                appropriateFor: FileManager.default.temporaryDirectory,
                create: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            var tables = KeyTableFiles(folder: folder.path)
            let prepared = try tables.prepare(read)
            if keyTables == nil { configuration.keyTableFolder = folder.path }
            let server = FixtureServer(configuration: configuration)
            try server.register(
                TrialRegistration(seed: prepared.seed, values: prepared.values, origin: prepared.origin), as: "default")
            return server
        }
    }
#endif
