package import Foundation
import Locks
import Platform
import Synchronization
package import TrialModel

/// An origin in the trial's own process: the same payloads, delays and counts as the fixture server, without the cost
/// of a request. It serves to measure hit ratios; its times are not those of a network.
package final class MemoryOrigin: Origin {
    private let trial: OriginTrial
    private let phase = Atomic<UInt16>(0)

    /// - Parameters:
    ///   - scenarioSeed: the scenario's seed.
    ///   - values: the kind and the sizes of the keys' values.
    ///   - origin: the delay.
    ///   - payloads: makes the values; `nil` makes one from the seed and the values.
    ///   - entryCountMax: how many requests are listed one by one; 0 for none.
    package init(
        scenarioSeed: UInt64, values: ValueSpecification, origin: OriginSpecification, payloads: PayloadFactory? = nil,
        entryCountMax: Int = 0
    ) {
        let factory = payloads ?? PayloadFactory(specification: values, seed: scenarioSeed)
        trial = OriginTrial(
            id: "memory", registration: TrialRegistration(seed: scenarioSeed, values: values, origin: origin),
            // They count as memory of the process.
            templates: TemplateStore(factory: factory, byteCountMax: 64 << 20),
            entryCountMax: entryCountMax)
    }

    package func fetch(_ key: UInt64) async throws -> Data {
        let ticket = begin(key)
        var (ending, fault): (RequestEnding, OriginFaultKind?) = (.failed, nil)
        defer { trial.end(ticket, ending, fault: fault) }
        do {
            let answer = answer(ticket)
            fault = answer.fault
            let template =
                if let kept = trial.templates.kept(answer.key) { kept } else {
                    try await trial.templates.template(answer.key, version: answer.version)
                }
            let data = answer.damaged(template.encoded(version: answer.version))
            let now = Nanoclock.now()
            if answer.due > now { try await Task.sleep(for: .nanoseconds(answer.due - now), tolerance: .zero) }
            try Task.checkCancellation()
            ending = answer.ending
            if let failure = answer.failure { throw failure }
            return data
        } catch let error as CancellationError {
            ending = .abandoned
            throw error
        }
    }

    package func fetchBlocking(_ key: UInt64, deadline: Duration?) throws -> Data {
        let ticket = begin(key)
        var (ending, fault): (RequestEnding, OriginFaultKind?) = (.failed, nil)
        defer { trial.end(ticket, ending, fault: fault) }
        let deadline = deadline.map { ticket.startNanoseconds.advanced(by: $0) } ?? .max
        let answer = answer(ticket)
        fault = answer.fault
        let template = try trial.templates.templateBlocking(answer.key, version: answer.version)
        let data = answer.damaged(template.encoded(version: answer.version))
        Nanoclock.sleep(until: min(answer.due, deadline))
        guard answer.due <= deadline, Nanoclock.now() < deadline else {
            ending = .abandoned
            throw CancellationError()
        }
        ending = answer.ending
        if let failure = answer.failure { throw failure }
        return data
    }

    package func beginPhase(_ index: Int) {
        phase.store(UInt16(clamping: index), ordering: .relaxed)
    }

    package func log(phase: Int) async throws -> OriginLog { trial.log(phase: UInt16(clamping: phase)) }

    package func requestList() async throws -> OriginRequestList {
        OriginRequestList(entries: trial.entries, droppedCount: trial.log(phase: nil).droppedEntries)
    }

    package func shutdown() async throws {}

    private func begin(_ key: UInt64) -> RequestLog.Ticket {
        trial.begin(key: key, phase: phase.load(ordering: .relaxed))
    }

    private func answer(_ ticket: RequestLog.Ticket) -> InProcessAnswer {
        InProcessAnswer(
            trial.registration, key: ticket.key, attempt: ticket.version, phase: ticket.phase,
            start: ticket.startNanoseconds, delays: trial.delays)
    }
}

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

    /// - Parameters:
    ///   - attempt: the number of the request among those for its key, which is the version of its answer.
    ///   - phase: the phase in which it arrived.
    ///   - start: when it arrived.
    init(
        _ registration: TrialRegistration, key: UInt64, attempt: UInt64, phase: UInt16, start: UInt64,
        delays: DistributionSampler
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
        let patience = timeout ?? (isAnswered ? .max : OriginSpecification.patienceNanoseconds)
        guard wait <= patience else {
            due = start &+ patience
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
        case .resetAtOnce: return .unreachable(address: "memory", reason: kind.summary)
        case .cutBody, .garbage: return .badBody(what: what, reason: kind.summary)
        case .wrongKey: return .wrongKey(expected: key, found: key ^ 1)
        default: return nil
        }
    }

    /// The payload, damaged if the fault says so.
    func damaged(_ payload: Data) -> Data {
        guard fault == .flippedBit, !payload.isEmpty else { return payload }
        var payload = payload
        let bit = [OriginFault].detail(seed: seed, key: requestedKey, attempt: attempt, below: payload.count * 8)
        payload[payload.startIndex + bit / 8] ^= 1 << UInt8(bit % 8)
        return payload
    }
}

/// An origin in the trial's own process that shares nothing between its callers: no log, no lock, no count.
///
/// A lock in the origin would create happens-before edges between a strategy's callers, and hide from a sanitizer that
/// the strategy itself creates none. So every fetch of a key gives the same version, and the log stays empty.
package struct UnsharedOrigin: Origin {
    private static let version: UInt64 = 1

    private let payloads: PayloadFactory
    private let registration: TrialRegistration
    private let delays: DistributionSampler
    /// Accessed with relaxed ordering, which creates no happens-before edges; it changes only between phases.
    private let phase = PhaseNumber()

    /// - Parameters:
    ///   - scenarioSeed: the scenario's seed.
    ///   - values: the kind and the sizes of the keys' values.
    ///   - origin: the delay.
    ///   - payloads: makes the values; `nil` makes one from the seed and the values.
    package init(
        scenarioSeed: UInt64, values: ValueSpecification, origin: OriginSpecification, payloads: PayloadFactory? = nil
    ) {
        self.payloads = payloads ?? PayloadFactory(specification: values, seed: scenarioSeed)
        registration = TrialRegistration(seed: scenarioSeed, values: values, origin: origin)
        delays = DistributionSampler(origin.delay)
    }

    package func fetch(_ key: UInt64) async throws -> Data {
        let (start, answer, data) = try answer(key)
        try await Task.sleep(for: .nanoseconds(answer.due &- start), tolerance: .zero)
        if let failure = answer.failure { throw failure }
        return data
    }

    package func fetchBlocking(_ key: UInt64, deadline: Duration?) throws -> Data {
        let (start, answer, data) = try answer(key)
        let deadline = deadline.map { start.advanced(by: $0) } ?? .max
        Nanoclock.sleep(until: min(answer.due, deadline))
        guard answer.due <= deadline else { throw CancellationError() }
        if let failure = answer.failure { throw failure }
        return data
    }

    package func beginPhase(_ index: Int) { phase.number.store(UInt16(clamping: index), ordering: .relaxed) }

    package func log(phase: Int) async throws -> OriginLog { OriginLog() }

    package func requestList() async throws -> OriginRequestList { OriginRequestList() }

    package func shutdown() async throws {}

    /// Requests aren't counted. With faults, the time serves as the attempt number; without them, all requests are the
    /// first.
    private func answer(_ key: UInt64) throws -> (start: UInt64, answer: InProcessAnswer, data: Data) {
        let start = Nanoclock.now()
        let attempt = registration.origin.faults == nil ? Self.version : start
        let answer = InProcessAnswer(
            registration, key: key, attempt: attempt, phase: phase.number.load(ordering: .relaxed), start: start,
            delays: delays)
        return (start, answer, answer.damaged(try payloads.encoded(key: key, version: Self.version)))
    }
}

/// The index of the phase that runs.
private final class PhaseNumber: Sendable {
    let number = Atomic<UInt16>(0)
}
