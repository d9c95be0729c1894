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
        var trials: [String: OriginTrial] = [:]
        /// The stores of the contents registered last, the latest one at the end.
        var stores: [(content: Content, store: TemplateStore)] = []
    }

    /// How many stores outlive their trials, within their budget. A run repeats all of its scenarios one after the other,
    /// and encoding again would put the strategies that come first at a disadvantage.
    private static let storeCountMax = 16

    private let configuration: FixtureServerConfiguration
    private let state = Locked(State())
    /// What all stores keep together.
    private let budget: TemplateBudget

    init(configuration: FixtureServerConfiguration) {
        self.configuration = configuration
        budget = TemplateBudget(byteCountMax: configuration.templateByteCountMax)
    }

    /// Registers a trial. An existing trial of that id is replaced: its log starts empty.
    func register(_ registration: TrialRegistration, as id: String) throws(FixtureServerError) -> OriginTrial {
        guard OriginRoute.isTrialName(id) else { throw .badTrialName(id) }
        let mistakes = registration.mistakes
        guard mistakes.isEmpty else { throw .badRegistration(mistakes) }
        let content = Content(seed: registration.seed, values: registration.values)
        // A file is read while other requests are answered.
        let known = state.withLock { state in state.stores.first { $0.content == content }?.store }
        let made = if let known { known } else { try makeStore(for: content) }
        return try state.withLock { state throws(FixtureServerError) in
            guard state.trials[id] != nil || state.trials.count < configuration.trialCountMax else {
                throw .tooManyTrials(limit: configuration.trialCountMax)
            }
            try spend(on: content, made, as: id, in: state)
            let trial = OriginTrial(
                id: id, registration: registration, templates: store(for: content, made, in: &state),
                entryCountMax: configuration.entryCountMax
            )
            state.trials[id] = trial
            return trial
        }
    }

    /// A store for a content. A file is opened only if the server's command line names its folder.
    private func makeStore(for content: Content) throws(FixtureServerError) -> TemplateStore {
        if let path = content.values.traced?.path {
            let folder = URL(fileURLWithPath: path).standardizedFileURL.deletingLastPathComponent().path
            let allowed = configuration.keyTableFolder.map { URL(fileURLWithPath: $0).standardizedFileURL.path }
            guard folder == allowed else {
                throw .badRegistration(["values.traced.path: the server was not started with the folder of this file"])
            }
        }
        do {
            let factory = try PayloadFactory(reading: content.values, seed: content.seed)
            return TemplateStore(factory: factory, byteCountMax: budget.byteCountMax, budget: budget)
        } catch {
            throw .badRegistration(["values.traced: \(error)"])
        }
    }

    /// Refuses a registration whose values don't fit beside those of other trials. A request has its value in memory
    /// twice: as it is kept, and as it is sent. Trials with the same content count once.
    private func spend(
        on content: Content, _ store: TemplateStore, as id: String, in state: State
    ) throws(FixtureServerError) {
        var sizes = [content: store.valueByteCountMax]
        for trial in state.trials.values where trial.id != id {
            let other = Content(seed: trial.registration.seed, values: trial.registration.values)
            sizes[other] = trial.templates.valueByteCountMax
        }
        let sum = sizes.values.reduce(0) { $0 + 2 * $1 }
        guard sum <= configuration.valueByteCountMax else {
            throw .valuesTooLarge(byteCount: sum, limit: configuration.valueByteCountMax)
        }
    }

    /// The store for a content, moved to the end of the list.
    ///
    /// - Parameter made: the one to add, unless another registration was faster.
    private func store(for content: Content, _ made: TemplateStore, in state: inout State) -> TemplateStore {
        var store = made
        if let index = state.stores.firstIndex(where: { $0.content == content }) {
            store = state.stores.remove(at: index).store
        }
        state.stores.append((content, store))
        budget.use(store)
        state.stores.removeFirst(max(0, state.stores.count - Self.storeCountMax))
        return store
    }

    func trial(_ id: String) -> OriginTrial? {
        state.withLock { $0.trials[id] }
    }

    /// Frees a trial. Its requests in flight are still answered.
    ///
    /// - Returns: whether the trial existed.
    func remove(_ id: String) -> Bool {
        state.withLock { $0.trials.removeValue(forKey: id) } != nil
    }
}
