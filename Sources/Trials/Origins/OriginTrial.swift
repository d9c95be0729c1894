import Locks
import Platform
package import TrialModel

/// One trial's side of an origin: its payloads, its delays and its log. In memory and in the fixture server alike.
package final class OriginTrial: Sendable {
    package let id: String
    package let registration: TrialRegistration
    /// Draws the delays of answers.
    package let delays: DistributionSampler
    package let templates: TemplateStore
    private let requestLog: Locked<RequestLog>

    /// - Parameter entryCountMax: how many requests are listed one by one; 0 for none.
    package init(id: String, registration: TrialRegistration, templates: TemplateStore, entryCountMax: Int) {
        (self.id, self.registration, self.templates) = (id, registration, templates)
        delays = DistributionSampler(registration.origin.delay)
        requestLog = Locked(RequestLog(entryCountMax: entryCountMax, pools: registration.values.pools))
    }

    /// Logs the arrival of a request.
    package func begin(key: UInt64, phase: UInt16) -> RequestLog.Ticket {
        let now = Nanoclock.now()
        return requestLog.withLock { $0.begin(key: key, phase: phase, at: now) }
    }

    /// Logs the end of a request.
    package func end(
        _ ticket: RequestLog.Ticket, _ ending: RequestEnding, fault: OriginFaultKind?, isLate: Bool = false
    ) {
        let now = Nanoclock.now()
        requestLog.withLock { $0.end(ticket, ending, fault: fault, at: now, isLate: isLate) }
    }

    /// The counts of one phase, or of all phases together.
    package func log(phase: UInt16?) -> OriginLog { requestLog.withLock { $0.log(phase: phase) } }

    /// The requests that have ended, as far as they are listed.
    package var entries: [OriginLogEntry] { requestLog.withLock { $0.entries } }
}

/// The encoded templates that an origin keeps, bounded by bytes; the least recently requested ones are evicted first.
///
/// Two generations approximate an exact order. A requested template moves to the young generation. When that fills half
/// of the limit, it becomes the old one, and the templates left in the previous old one are evicted. O(1) for
/// everything.
///
/// Where sizes change by version, nothing is kept and each template is made on request. A trial requests a version only
/// once, and a template kept for the next trial would make that trial's loads cheaper than the first one's.
package final class TemplateStore: Sendable {
    private struct State {
        var young: [UInt64: EncodedTemplate] = [:]
        var old: [UInt64: EncodedTemplate] = [:]
        var youngByteCount = 0
        var oldByteCount = 0
        var inFlight: [UInt64: Task<EncodedTemplate, any Error>] = [:]

        mutating func find(_ key: UInt64, byteCountMax: Int) -> EncodedTemplate? {
            if let template = young[key] { return template }
            guard let template = old[key] else { return nil }
            insert(template, for: key, byteCountMax: byteCountMax)
            return template
        }

        mutating func insert(_ template: EncodedTemplate, for key: UInt64, byteCountMax: Int) {
            guard template.byteCount <= byteCountMax / 2, young[key] == nil else { return }
            if youngByteCount + template.byteCount > byteCountMax / 2 {
                (old, oldByteCount) = (young, youngByteCount)
                (young, youngByteCount) = ([:], 0)
            }
            young[key] = template
            youngByteCount += template.byteCount
        }
    }

    /// The largest size of a decoded value, in bytes; an encoded one is hardly larger.
    package let valueByteCountMax: Int
    private let factory: PayloadFactory
    private let byteCountMax: Int
    private let budget: TemplateBudget?
    private let state = Locked(State())

    /// - Parameters:
    ///   - factory: makes missing templates.
    ///   - byteCountMax: the most bytes to keep; a template larger than half of it is made again each time.
    ///   - budget: what it keeps together with others; `nil` when it is alone.
    package init(factory: PayloadFactory, byteCountMax: Int, budget: TemplateBudget? = nil) {
        self.factory = factory
        valueByteCountMax = factory.largestSize
        self.byteCountMax = byteCountMax
        self.budget = budget
    }

    deinit { removeAll() }

    /// Changes the state, and tells the budget how much more is kept.
    private func change<Answer>(_ body: (inout State) -> Answer) -> Answer {
        let (answer, growth) = state.withLock { state in
            let before = state.youngByteCount + state.oldByteCount
            let answer = body(&state)
            return (answer, state.youngByteCount + state.oldByteCount - before)
        }
        if growth != 0 { budget?.add(growth) }
        return answer
    }

    /// The template of a key if it is kept; otherwise `nil`.
    package func kept(_ key: UInt64) -> EncodedTemplate? {
        change { $0.find(key, byteCountMax: byteCountMax) }
    }

    /// Empties the store; templates that are being made are kept once they are done.
    func removeAll() {
        change { state in
            (state.young, state.old) = ([:], [:])
            (state.youngByteCount, state.oldByteCount) = (0, 0)
        }
    }

    /// The template of a key, for a version. Callers that request a missing one at the same time share its making, so a
    /// burst on a large picture compresses it once. Their cancellation does not stop it.
    package func template(_ key: UInt64, version: UInt64) async throws -> EncodedTemplate {
        guard !factory.sizesChange else { return try factory.template(key: key, version: version) }
        let (found, making) = change { state -> (EncodedTemplate?, Task<EncodedTemplate, any Error>?) in
            if let template = state.find(key, byteCountMax: byteCountMax) { return (template, nil) }
            if let task = state.inFlight[key] { return (nil, task) }
            let task = Task { [self] in
                let made = Result { try factory.template(key: key, version: version) }
                finish(key, made)
                return try made.get()
            }
            state.inFlight[key] = task
            return (nil, task)
        }
        if let found { return found }
        guard let making else { throw CancellationError() }
        return try await making.value
    }

    /// The template of a key, for a version and for threads. Threads that request it at the same time may make it more
    /// than once.
    package func templateBlocking(_ key: UInt64, version: UInt64) throws -> EncodedTemplate {
        if let template = kept(key) { return template }
        let made = try factory.template(key: key, version: version)
        guard !factory.sizesChange else { return made }
        change { $0.insert(made, for: key, byteCountMax: byteCountMax) }
        return made
    }

    /// Makes the templates of some keys, on two tasks, until they fill half of the limit: that half is kept until as
    /// much again was requested.
    package func prepare(_ keys: [Range<UInt64>]) async throws {
        guard !factory.sizesChange else { return }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for first in 0..<2 as Range<UInt64> {
                group.addTask { [self] in
                    var largest = 0
                    for key in keys.lazy.flatMap({ stride(from: $0.lowerBound + first, to: $0.upperBound, by: 2) }) {
                        guard state.withLock({ $0.youngByteCount + 2 * largest < byteCountMax / 2 }) else { return }
                        try Task.checkCancellation()
                        largest = max(largest, try await template(key, version: 1).byteCount)
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    private func finish(_ key: UInt64, _ made: Result<EncodedTemplate, any Error>) {
        change { state in
            state.inFlight[key] = nil
            if case .success(let template) = made { state.insert(template, for: key, byteCountMax: byteCountMax) }
        }
    }

    /// Bytes of the kept templates.
    var keptByteCount: Int {
        state.withLock { state in
            state.young.values.reduce(0) { $0 + $1.byteCount } + state.old.values.reduce(0) { $0 + $1.byteCount }
        }
    }
}
