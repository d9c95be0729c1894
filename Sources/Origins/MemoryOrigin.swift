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
