import Payloads
import TrialModel

/// One trial's side of the server: its payloads, its delays and its log.
final class FixtureTrial: Sendable {
    let contentType: String
    private let registration: TrialRegistration
    private let delays: DistributionSampler
    private let templates: TemplateStore
    private let ledger: Locked<RequestLedger>

    init(registration: TrialRegistration, configuration: FixtureServerConfiguration) {
        self.registration = registration
        contentType =
            switch registration.values.kind {
            case .image: "image/png"
            case .article: "application/json"
            case .bytes: "application/octet-stream"
            }
        delays = DistributionSampler(registration.origin.delay)
        let factory = PayloadFactory(specification: registration.values, seed: registration.seed)
        templates = TemplateStore(factory: factory, byteCountMax: configuration.templateByteCountMax)
        ledger = Locked(RequestLedger(entryCountMax: configuration.entryCountMax))
    }

    /// Notes the arrival of a request.
    func begin(key: UInt64, phase: UInt16, at time: UInt64) -> RequestLedger.Ticket {
        ledger.withLock { $0.begin(key: key, phase: phase, at: time) }
    }

    /// Notes the end of a request.
    func end(_ ticket: RequestLedger.Ticket, _ ending: RequestEnding, isLate: Bool = false) {
        let now = MonotonicTime.now
        ledger.withLock { $0.end(ticket, ending, at: now, isLate: isLate) }
    }

    /// When the answer to a request is due, in ``MonotonicTime``.
    func due(_ ticket: RequestLedger.Ticket) -> UInt64 {
        ticket.startNanoseconds
            &+ registration.delay(key: ticket.key, version: ticket.version, sampler: delays)
    }

    /// The encoded payload without its version.
    func template(_ key: UInt64) async throws -> EncodedTemplate {
        if let template = templates.kept(key) { return template }
        return try await templates.template(key)
    }

    func log(phase: UInt16?) -> OriginLog {
        ledger.withLock { $0.log(phase: phase) }
    }

    var entries: [OriginLogEntry] {
        ledger.withLock { $0.entries }
    }
}
