public import Foundation
import TrialModel

/// What loads fetch with.
@usableFromInline
package protocol PayloadSource: Sendable {
    /// Fetches the encoded payload of a key, for callers that are tasks.
    ///
    /// - Throws: `CancellationError` promptly when the task is cancelled; else ``OriginError``.
    func fetch(_ key: UInt64) async throws -> Data

    /// Fetches the encoded payload of a key, for callers that are threads: the thread waits.
    ///
    /// - Parameters:
    ///   - key: the number of the key.
    ///   - deadline: how long to wait; then the request is abandoned. `nil` waits as long as it takes.
    /// - Throws: `CancellationError` after the deadline; else ``OriginError``.
    func fetchBlocking(_ key: UInt64, deadline: Duration?) throws -> Data
}

/// Where loads fetch from.
///
/// Requests are counted by the origin, not by its callers: what ``log(phase:)`` says is what arrived.
package protocol Origin: PayloadSource {
    /// Tags the requests that follow with a phase, from 0 to 65,535; other numbers are cut to that.
    func beginPhase(_ index: Int)

    /// What the origin saw in a phase. Requests that are still under way stand in `inFlight`.
    func log(phase: Int) async throws -> OriginLog

    /// The requests of all phases, one by one, as far as the origin writes them down.
    func requestList() async throws -> OriginRequestList

    /// Frees what the origin holds. Call it once, after the last request.
    func shutdown() async throws
}

/// Why an origin gave nothing, and what to do.
package enum OriginError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The address is none that can be asked.
    case badAddress(String)
    /// More requests at once than the process may have connections.
    case tooFewDescriptors(limit: UInt64, concurrency: Int)
    /// The trial's id is not 1 to 200 letters, digits, `.`, `_` or `-`.
    case badTrialName(String)
    /// No connection, or it broke off.
    case unreachable(address: String, reason: String)
    /// An answer other than the one that was asked for.
    case refused(what: String, status: Int, text: String)
    /// No answer within the time limit.
    case timedOut(what: String, nanoseconds: UInt64)
    /// The body is that of another key.
    case wrongKey(expected: UInt64, found: UInt64)
    /// The body is no payload, or ends too soon.
    case badBody(what: String, reason: String)

    package var description: String {
        switch self {
        case .badAddress(let address):
            "'\(address)' is not an address of a fixture server; it looks like http://127.0.0.1:8080"
        case .tooFewDescriptors(let limit, let concurrency):
            "\(concurrency) loads at once need two descriptors each, and the process may open \(limit) files; run "
                + "'ulimit -n \(2 * concurrency + 64)' first, or use fewer clients"
        case .badTrialName(let id):
            "'\(id.prefix(200))' can't be a trial's id: 1 to 200 letters, digits, '.', '_' or '-'"
        case .unreachable(let address, let reason):
            "the fixture server at \(address) can't be reached (\(reason)); check that "
                + "`\(ProgramName.current) serve` is running"
        case .refused(let what, let status, let text):
            "\(what): the fixture server answered \(status): \(text)"
        case .timedOut(let what, let nanoseconds):
            "\(what): no answer within \(Self.seconds(nanoseconds)) s; check the scenario's delay, and that the server's machine is not "
                + "overloaded"
        case .wrongKey(let expected, let found):
            "key \(expected): the origin sent the payload of key \(found); the origin is at fault, run again with "
                + "another one"
        case .badBody(let what, let reason):
            "\(what): the body can't be used: \(reason)"
        }
    }
    /// Seconds, with a fraction where there is one.
    private static func seconds(_ nanoseconds: UInt64) -> String {
        let seconds = Double(nanoseconds) / 1_000_000_000
        return nanoseconds % 1_000_000_000 == 0 ? "\(nanoseconds / 1_000_000_000)" : "\(seconds)"
    }
}
