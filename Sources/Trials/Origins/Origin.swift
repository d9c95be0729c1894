public import Foundation
import TrialModel

/// The source of a load's payloads.
@usableFromInline
package protocol PayloadSource: Sendable {
    /// Fetches the encoded payload of a key, for callers that are tasks.
    ///
    /// - Throws: `CancellationError` promptly when the task is cancelled; otherwise ``OriginError``.
    func fetch(_ key: UInt64) async throws -> Data

    /// Fetches the encoded payload of a key, for callers that are threads: the thread waits.
    ///
    /// - Parameters:
    ///   - key: the number of the key.
    ///   - deadline: how long to wait; then the request is abandoned. `nil` waits as long as it takes.
    /// - Throws: `CancellationError` after the deadline; otherwise ``OriginError``.
    func fetchBlocking(_ key: UInt64, deadline: Duration?) throws -> Data
}

/// The origin from which loads fetch.
///
/// Requests are counted by the origin, not by its callers: ``log(phase:)`` reports the requests that arrived.
package protocol Origin: PayloadSource {
    /// Tags the requests that follow with a phase, from 0 to 65,535; other numbers are clamped to that range.
    func beginPhase(_ index: Int)

    /// The origin's counts for a phase. `inFlight` counts the requests that are still in flight.
    func log(phase: Int) async throws -> OriginLog

    /// The requests of all phases, one by one, as far as the origin lists them.
    func requestList() async throws -> OriginRequestList

    /// Frees the origin's resources. Call it once, after the last request.
    func shutdown() async throws
}

/// Why an origin returned no payload, and what to do about it.
package enum OriginError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The address is not one of a fixture server.
    case badAddress(String)
    /// There would be more requests at once than the process may have connections.
    case tooFewDescriptors(limit: UInt64, concurrency: Int)
    /// The trial's id is not 1 to 200 letters, digits, `.`, `_` or `-`.
    case badTrialName(String)
    /// There is no connection, or it was lost.
    case unreachable(address: String, reason: String)
    /// The server's answer is not the expected one.
    case refused(what: String, status: Int, text: String)
    /// There was no answer within the time limit.
    case timedOut(what: String, nanoseconds: UInt64)
    /// The body belongs to another key.
    case wrongKey(expected: UInt64, found: UInt64)
    /// The body is not a payload, or is truncated.
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
            "\(what): no answer within \(Quantity.trimmed(Quantity.duration(nanoseconds: nanoseconds))); check the scenario's "
                + "delay, and that the server's machine is not overloaded"
        case .wrongKey(let expected, let found):
            "key \(expected): the origin sent the payload of key \(found); the origin is at fault, run again with "
                + "another one"
        case .badBody(let what, let reason):
            "\(what): the body can't be used: \(reason)"
        }
    }
}

extension UInt64 {
    /// The point in time that is `duration` later, clamped to the range of the type.
    func advanced(by duration: Duration) -> UInt64 {
        let (seconds, attoseconds) = duration.components
        guard seconds >= 0, attoseconds >= 0 else { return self }
        let (whole, overflows) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, overflowsAgain) = addingReportingOverflow(whole)
        let (end, overflowsAtLast) = sum.addingReportingOverflow(UInt64(attoseconds) / 1_000_000_000)
        return overflows || overflowsAgain || overflowsAtLast ? .max : end
    }
}
