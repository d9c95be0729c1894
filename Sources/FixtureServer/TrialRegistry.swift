import Foundation
import Locks
import Origins
import TrialModel

/// The trials that the server knows.
final class TrialRegistry: Sendable {
    /// The properties that determine the encoded payloads.
    private struct Content: Hashable {
        let seed: UInt64
        let values: ValueSpecification
    }

    private struct State {
        var trials: [String: FixtureTrial] = [:]
        /// The stores of the contents registered last, the latest one at the end.
        var stores: [(content: Content, store: TemplateStore)] = []
    }

    /// How many stores outlive their trials. A run repeats all of its scenarios one after the other, and encoding again
    /// would put the strategies that come first at a disadvantage.
    private static let storeCountMax = 16

    private let configuration: FixtureServerConfiguration
    private let state = Locked(State())

    init(configuration: FixtureServerConfiguration) {
        self.configuration = configuration
    }

    /// Registers a trial. An existing trial of that id is replaced: its log starts empty.
    func register(_ registration: TrialRegistration, as id: String) throws(FixtureServerError) -> FixtureTrial {
        guard OriginRoute.isTrialName(id) else { throw .badTrialName(id) }
        let mistakes = registration.mistakes
        guard mistakes.isEmpty else { throw .badRegistration(mistakes) }
        return try state.withLock { state throws(FixtureServerError) in
            guard state.trials[id] != nil || state.trials.count < configuration.trialCountMax else {
                throw .tooManyTrials(limit: configuration.trialCountMax)
            }
            let content = Content(seed: registration.seed, values: registration.values)
            let trial = FixtureTrial(
                id: id, registration: registration, templates: try store(for: content, in: &state),
                entryCountMax: configuration.entryCountMax
            )
            state.trials[id] = trial
            return trial
        }
    }

    /// The store for a content, moved to the end of the list.
    private func store(for content: Content, in state: inout State) throws(FixtureServerError) -> TemplateStore {
        let store: TemplateStore
        if let index = state.stores.firstIndex(where: { $0.content == content }) {
            store = state.stores.remove(at: index).store
        } else {
            let factory: PayloadFactory
            do {
                factory = try PayloadFactory(reading: content.values, seed: content.seed)
            } catch {
                throw .badRegistration(["values.traced: \(error)"])
            }
            store = TemplateStore(factory: factory, byteCountMax: configuration.templateByteCountMax)
        }
        state.stores.append((content, store))
        state.stores.removeFirst(max(0, state.stores.count - Self.storeCountMax))
        return store
    }

    func trial(_ id: String) -> FixtureTrial? {
        state.withLock { $0.trials[id] }
    }

    /// Frees a trial. Its requests in flight are still answered.
    ///
    /// - Returns: whether the trial existed.
    func remove(_ id: String) -> Bool {
        state.withLock { $0.trials.removeValue(forKey: id) } != nil
    }
}

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
