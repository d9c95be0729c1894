import Foundation
import TrialModel

/// How an origin in the trial's own process answers one request, faults included. It acts as the fixture server does
/// over HTTP, as seen by its client.
struct InProcessAnswer: Sendable {
    /// The key and the version of the payload.
    let key: UInt64
    let version: UInt64
    /// When the caller gets the payload or the failure, in ``Nanoclock``.
    let due: UInt64
    /// The error that the caller gets in place of a payload.
    let failure: OriginError?
    let fault: OriginFaultKind?
    /// How the log counts the request.
    let ending: RequestEnding
    private let seed: UInt64
    private let requestedKey: UInt64
    private let attempt: UInt64

    /// How long a caller waits for an answer that never comes, unless the scenario says otherwise: half a minute.
    private static let patienceNanoseconds: UInt64 = 30_000_000_000

    /// - Parameters:
    ///   - registration: the trial's registration.
    ///   - ticket: the log's ticket of the request.
    ///   - served: when the request gets a slot of the origin; `nil` for at once.
    ///   - delays: draws the delay.
    init(
        _ registration: TrialRegistration, _ ticket: RequestLog.Ticket, served: UInt64? = nil,
        delays: DistributionSampler
    ) {
        self.init(
            registration, key: ticket.key, attempt: ticket.version, phase: ticket.phase,
            start: served ?? ticket.startNanoseconds, arrival: ticket.startNanoseconds, delays: delays)
    }

    /// - Parameters:
    ///   - attempt: the number of the request among those for its key, which is the version of its answer.
    ///   - phase: the phase in which it arrived.
    ///   - start: when it is served.
    ///   - arrival: since when its caller waits; `nil` when it did not wait before `start`.
    init(
        _ registration: TrialRegistration, key: UInt64, attempt: UInt64, phase: UInt16, start: UInt64,
        arrival: UInt64? = nil, delays: DistributionSampler
    ) {
        let fault = registration.fault(key: key, attempt: attempt, phase: phase)
        let ticket = RequestLog.Ticket(key: key, version: attempt, phase: phase, startNanoseconds: start)
        (self.key, version) = ticket.answered(fault?.kind == .wrongKey ? nil : fault?.kind)
        self.fault = fault?.kind
        seed = registration.seed
        requestedKey = key
        self.attempt = attempt
        let delay = registration.delay(key: key, version: attempt, phase: phase, sampler: delays)
        let timeout = registration.origin.timeout
        let isAnswered = fault?.kind != .noAnswer
        let wait = isAnswered ? delay &+ (fault?.extraNanoseconds ?? 0) : .max
        let patience = timeout ?? (isAnswered ? .max : Self.patienceNanoseconds)
        let left =
            patience == .max ? .max : patience - min(patience, Nanoclock.elapsed(from: arrival ?? start, to: start))
        guard wait <= left else {
            due = start &+ left
            failure = .timedOut(what: "key \(key)", nanoseconds: patience)
            ending = .abandoned
            return
        }
        due = start &+ wait
        failure = fault.flatMap { Self.failure($0.kind, key: key) }
        ending = fault?.kind.isFailure == true ? .failed : .answered
    }

    private static func failure(_ kind: OriginFaultKind, key: UInt64) -> OriginError? {
        let what = "key \(key)"
        if let status = kind.status {
            return .refused(what: what, status: status, text: "the scenario's fault \(kind.rawValue)")
        }
        switch kind {
        case .emptyAnswer, .cutHeaders, .cutBody, .resetAtOnce, .resetInBody:
            return .unreachable(address: "memory", reason: kind.summary)
        case .garbage, .malformedChunk, .hugeBody: return .badBody(what: what, reason: kind.summary)
        case .wrongKey: return .wrongKey(expected: key, found: key ^ 1)
        default: return nil
        }
    }

    /// The payload, damaged if the fault says so.
    func damaged(_ payload: Data) -> Data {
        switch fault {
        case .excessBody: return payload.dropLast()
        case .flippedBit where !payload.isEmpty:
            var payload = payload
            let bit = [OriginFault].detail(
                seed: seed, key: requestedKey, attempt: attempt, below: payload.count * 8)
            payload[payload.startIndex + bit / 8] ^= 1 << UInt8(bit % 8)
            return payload
        default: return payload
        }
    }
}
