package import Foundation
import Locks
import Synchronization
package import TrialModel

/// An origin in the trial's own process: the same payloads, delays and counts as the fixture server, without the cost
/// of a request. It serves to measure hit ratios; its times are not those of a network.
package final class MemoryOrigin: Origin {
    private let registration: TrialRegistration
    private let delays: DistributionSampler
    private let templates: TemplateStore
    private let requestLog: Locked<RequestLog>
    private let phase = Atomic<UInt16>(0)
    private let slots: OriginSlots?

    /// - Parameters:
    ///   - scenarioSeed: the scenario's seed.
    ///   - values: the kind and the sizes of the keys' values.
    ///   - origin: the delay.
    ///   - payloads: makes the values; `nil` makes one from the seed and the values.
    ///   - entryCountMax: how many requests are listed one by one; 0 for none.
    ///   - templateByteCountMax: the most bytes of encoded payloads to keep; they count as memory of the process.
    package init(
        scenarioSeed: UInt64, values: ValueSpecification, origin: OriginSpecification, payloads: PayloadFactory? = nil,
        entryCountMax: Int = 0, templateByteCountMax: Int = 64 << 20
    ) {
        registration = TrialRegistration(seed: scenarioSeed, values: values, origin: origin)
        requestLog = Locked(RequestLog(entryCountMax: entryCountMax, pools: values.pools))
        delays = DistributionSampler(origin.delay)
        slots = OriginSlots(count: origin.slots)
        templates = TemplateStore(
            factory: payloads ?? PayloadFactory(specification: values, seed: scenarioSeed),
            byteCountMax: templateByteCountMax)
    }

    package func fetch(_ key: UInt64) async throws -> Data {
        let ticket = begin(key)
        if slots != nil { return try await fetchInSlot(ticket) }
        return try await fetch(ticket, InProcessAnswer(registration, ticket, delays: delays))
    }

    /// Fetches once the request has a slot.
    private func fetchInSlot(_ ticket: RequestLog.Ticket) async throws -> Data {
        let request = SlotQueue.Request(ticket)
        defer { slots?.leave(request) }
        do {
            try await slots?.take(request)
        } catch {
            end(ticket, .abandoned, nil)
            throw error
        }
        return try await fetch(
            ticket, InProcessAnswer(registration, ticket, served: Nanoclock.now(), delays: delays))
    }

    private func fetch(_ ticket: RequestLog.Ticket, _ answer: InProcessAnswer) async throws -> Data {
        var ending = RequestEnding.failed
        defer { end(ticket, ending, answer.fault) }
        do {
            let data = answer.damaged(try await template(for: answer).encoded(version: answer.version))
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
        let deadline = deadline.map { ticket.startNanoseconds.advanced(by: $0) } ?? .max
        let request = SlotQueue.Request(ticket)
        defer { slots?.leave(request) }
        if let slots, !slots.takeBlocking(request, until: deadline) {
            end(ticket, .abandoned, nil)
            throw CancellationError()
        }
        let served = slots == nil ? nil : Nanoclock.now()
        let answer = InProcessAnswer(registration, ticket, served: served, delays: delays)
        var ending = RequestEnding.failed
        defer { end(ticket, ending, answer.fault) }
        let template = try templates.templateBlocking(answer.key, version: answer.version)
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

    package func log(phase: Int) async throws -> OriginLog {
        var log = requestLog.withLock { $0.log(phase: UInt16(clamping: phase)) }
        slots?.note(in: &log)
        return log
    }

    package func requestList() async throws -> OriginRequestList {
        requestLog.withLock { requestLog in
            OriginRequestList(entries: requestLog.entries, droppedCount: requestLog.log(phase: nil).droppedEntries)
        }
    }

    package func shutdown() async throws {}

    private func begin(_ key: UInt64) -> RequestLog.Ticket {
        let now = Nanoclock.now()
        let phase = phase.load(ordering: .relaxed)
        return requestLog.withLock { $0.begin(key: key, phase: phase, at: now) }
    }

    private func end(_ ticket: RequestLog.Ticket, _ ending: RequestEnding, _ fault: OriginFaultKind?) {
        let now = Nanoclock.now()
        requestLog.withLock { $0.end(ticket, ending, fault: fault, at: now) }
    }

    private func template(for answer: InProcessAnswer) async throws -> EncodedTemplate {
        if let template = templates.kept(answer.key) { return template }
        return try await templates.template(answer.key, version: answer.version)
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
        let start = Nanoclock.now()
        let answer = answer(key, start: start)
        let data = answer.damaged(try payloads.encoded(key: key, version: Self.version))
        try await Task.sleep(for: .nanoseconds(answer.due &- start), tolerance: .zero)
        if let failure = answer.failure { throw failure }
        return data
    }

    package func fetchBlocking(_ key: UInt64, deadline: Duration?) throws -> Data {
        let start = Nanoclock.now()
        let answer = answer(key, start: start)
        let data = answer.damaged(try payloads.encoded(key: key, version: Self.version))
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
    private func answer(_ key: UInt64, start: UInt64) -> InProcessAnswer {
        let attempt = registration.origin.faults == nil ? Self.version : start
        return InProcessAnswer(
            registration, key: key, attempt: attempt, phase: phase.number.load(ordering: .relaxed), start: start,
            delays: delays)
    }
}

/// The index of the phase that runs.
private final class PhaseNumber: Sendable {
    let number = Atomic<UInt16>(0)
}
