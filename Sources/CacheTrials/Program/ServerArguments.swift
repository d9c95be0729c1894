import ArgumentParser
import CacheStrategies
import Foundation
import ScenarioFiles
import TrialModel

#if HTTP
    import CacheServers
#endif

/// Cache servers that already run, for strategies that would otherwise start their own.
struct ServerArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Redis servers, separated by commas, or nodes of a Redis cluster. (default: each trial starts its own)",
            valueName: "host:port"))
    var redis: String?

    @Option(
        help: ArgumentHelp(
            "memcached servers, separated by commas. (default: each trial starts its own)", valueName: "host:port"))
    var memcached: String?

    @Option(
        help: ArgumentHelp(
            "The prefix of keys on those servers. (default: a new one in every run)",
            valueName: "name"))
    var serverNamespace: String?

    private var given: [(strategy: String, flag: String, text: String)] {
        [("redis", "--redis", redis), ("memcached", "--memcached", memcached)].compactMap { strategy, flag, text in
            text.map { (strategy, flag, $0) }
        }
    }

    func validate() throws {
        #if HTTP
            for (server, flag, text) in given {
                do {
                    _ = try ServerAddress.list(text)
                    _ = try ServerCredentials.inEnvironment(of: server)
                } catch {
                    throw ValidationError("'\(flag)': \(error).")
                }
            }
        #else
            if let first = given.first {
                throw ValidationError("'\(first.flag)' needs a build with the trait HTTP, which is on by default.")
            }
        #endif
        guard let serverNamespace else { return }
        if given.isEmpty { throw ValidationError("'--server-namespace' needs '--redis' or '--memcached': add one.") }
        guard (1...60).contains(serverNamespace.utf8.count),
            serverNamespace.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else {
            throw ValidationError(
                "'--server-namespace': 1 to 60 printable ASCII characters without blanks are allowed.")
        }
    }

    /// The servers that were named; `nil` when none were.
    func servers() -> CacheServers? {
        guard !given.isEmpty else { return nil }
        let addresses = given.map { ($0.strategy, $0.text.split(separator: ",").map(String.init)) }
        return CacheServers(
            addresses: Dictionary(addresses) { first, _ in first },
            namespace: serverNamespace ?? "cache-trials-\(UUID().uuidString.prefix(8))")
    }
}

/// A time on the command line: a number and its unit, as in scenario files.
enum TimeArgument {
    /// Reads a time from one millisecond to seven days.
    ///
    /// - Throws: `ValidationError` that says what is allowed.
    static func parse(_ text: String) throws -> Duration {
        guard let nanoseconds = DecimalText(text)?.nanoseconds,
            (1_000_000...604_800_000_000_000).contains(nanoseconds)
        else {
            throw ValidationError(
                "'\(text)' is not a time; write a number from 1 ms to 168 h and a unit: ms, s, min or h.")
        }
        return .nanoseconds(Int64(nanoseconds))
    }
}

/// A moment on the command line.
enum DateArgument {
    /// Reads ISO 8601.
    ///
    /// - Throws: `ValidationError`, with an example.
    static func parse(_ text: String) throws -> Date {
        guard let time = try? Date(text, strategy: .iso8601) else {
            throw ValidationError("'\(text)' is not a time; write it as 2030-01-31T12:00:00Z.")
        }
        return time
    }
}
