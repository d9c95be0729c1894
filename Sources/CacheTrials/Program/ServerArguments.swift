import ArgumentParser
import CacheStrategies
import Foundation

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
    private static let units: [(suffix: String, seconds: Double)] = [
        ("ms", 0.001), ("min", 60), ("h", 3600), ("s", 1),
    ]
    private static let longestSeconds = 604_800.0

    /// Reads a time from one millisecond to seven days.
    ///
    /// - Throws: `ValidationError` that says what is allowed.
    static func parse(_ text: String) throws -> Duration {
        let compact = text.filter { $0 != " " }
        for (suffix, factor) in units where compact.hasSuffix(suffix) {
            guard let number = Double(compact.dropLast(suffix.count)), number.isFinite else { break }
            let seconds = number * factor
            guard seconds >= 0.001, seconds <= longestSeconds else { break }
            return .milliseconds(Int64(seconds * 1000))
        }
        throw ValidationError("'\(text)' is not a time; write a number from 1 ms to 168 h and a unit: ms, s, min or h.")
    }
}

extension Duration {
    /// Whole nanoseconds, for times that were read by ``TimeArgument``.
    var nanoseconds: UInt64 {
        UInt64(clamping: components.seconds) * 1_000_000_000 + UInt64(clamping: components.attoseconds / 1_000_000_000)
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
