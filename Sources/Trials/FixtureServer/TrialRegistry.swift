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

    /// How many stores outlive their trials. A run repeats all of its scenarios one after the other, and encoding again
    /// would put the strategies that come first at a disadvantage.
    private static let storeCountMax = 16

    private let configuration: FixtureServerConfiguration
    private let state = Locked(State())

    init(configuration: FixtureServerConfiguration) {
        self.configuration = configuration
    }

    /// Registers a trial. An existing trial of that id is replaced: its log starts empty.
    func register(_ registration: TrialRegistration, as id: String) throws(FixtureServerError) -> OriginTrial {
        guard OriginRoute.isTrialName(id) else { throw .badTrialName(id) }
        let mistakes = registration.mistakes
        guard mistakes.isEmpty else { throw .badRegistration(mistakes) }
        return try state.withLock { state throws(FixtureServerError) in
            guard state.trials[id] != nil || state.trials.count < configuration.trialCountMax else {
                throw .tooManyTrials(limit: configuration.trialCountMax)
            }
            let content = Content(seed: registration.seed, values: registration.values)
            let trial = OriginTrial(
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
