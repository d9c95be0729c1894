import Locks
import Origins
import TrialModel

/// One trial's side of the server: its payloads, its delays and its log.
final class FixtureTrial: Sendable {
    let id: String
    let contentType: String
    private let registration: TrialRegistration
    private let delays: DistributionSampler
    private let templates: TemplateStore
    private let requestLog: Locked<RequestLog>
    /// The slots in which requests are served; `nil` when any number is served at once.
    let slots: OriginSlots?

    init(id: String, registration: TrialRegistration, templates: TemplateStore, entryCountMax: Int) {
        self.id = id
        self.registration = registration
        contentType =
            switch registration.values.kind {
            case .image: "image/png"
            case .article: "application/json"
            case .bytes: "application/octet-stream"
            }
        delays = DistributionSampler(registration.origin.delay)
        self.templates = templates
        slots = OriginSlots(count: registration.origin.slots)
        requestLog = Locked(RequestLog(entryCountMax: entryCountMax, pools: registration.values.pools))
    }

    /// Encodes the payloads that the registration asks for.
    func prepare() async throws {
        try await templates.prepare(registration.preparedKeys)
    }

    /// Logs the arrival of a request.
    func begin(key: UInt64, phase: UInt16, at time: UInt64) -> RequestLog.Ticket {
        requestLog.withLock { $0.begin(key: key, phase: phase, at: time) }
    }

    /// Logs the end of a request.
    func end(
        _ ticket: RequestLog.Ticket, _ ending: RequestEnding, fault: OriginFaultKind? = nil, isLate: Bool = false
    ) {
        let now = Nanoclock.now()
        requestLog.withLock { $0.end(ticket, ending, fault: fault, at: now, isLate: isLate) }
        slots?.leave(SlotQueue.Request(ticket))
    }

    /// The fault that hits a request; `nil` if none does.
    func fault(_ ticket: RequestLog.Ticket) -> OriginFault? {
        registration.fault(key: ticket.key, attempt: ticket.version, phase: ticket.phase)
    }

    /// A number below a bound, derived from the request that the fault hits.
    func faultDetail(_ ticket: RequestLog.Ticket, below bound: Int) -> Int {
        [OriginFault].detail(seed: registration.seed, key: ticket.key, attempt: ticket.version, below: bound)
    }

    /// When the answer to a request that is served from a given time on is due, in ``Nanoclock``; the largest value if
    /// there is no answer.
    func due(_ ticket: RequestLog.Ticket, _ fault: OriginFault?, from served: UInt64) -> UInt64 {
        if fault?.kind == .noAnswer { return .max }
        let extra = fault?.kind == .slowAnswer ? fault?.extraNanoseconds ?? 0 : 0
        return served
            &+ registration.delay(key: ticket.key, version: ticket.version, phase: ticket.phase, sampler: delays)
            &+ extra
    }

    /// The kept encoded payload of a key without its version; always `nil` where sizes change by version.
    func keptTemplate(_ key: UInt64) -> EncodedTemplate? {
        templates.kept(key)
    }

    /// The encoded payload of a key for a version, without that version; made if it is not kept.
    func template(_ key: UInt64, version: UInt64) async throws -> EncodedTemplate {
        try await templates.template(key, version: version)
    }

    func log(phase: UInt16?) -> OriginLog {
        var log = requestLog.withLock { $0.log(phase: phase) }
        slots?.note(in: &log)
        return log
    }

    var entries: [OriginLogEntry] {
        requestLog.withLock { $0.entries }
    }
}
