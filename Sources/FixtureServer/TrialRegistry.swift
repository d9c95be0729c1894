import Foundation
import Payloads

/// The trials that the server knows.
final class TrialRegistry: Sendable {
    private let configuration: FixtureServerConfiguration
    private let trials = Locked<[String: FixtureTrial]>([:])

    init(configuration: FixtureServerConfiguration) {
        self.configuration = configuration
    }

    /// Registers a trial. One that has the id already is replaced: its log begins anew.
    func register(_ registration: TrialRegistration, as id: String) throws(FixtureServerError) {
        guard OriginRoute.isTrialName(id) else { throw .badTrialName(id) }
        let mistakes = registration.mistakes
        guard mistakes.isEmpty else { throw .badRegistration(mistakes) }
        let trial = FixtureTrial(registration: registration, configuration: configuration)
        let limit = configuration.trialCountMax
        let isRegistered = trials.withLock { trials in
            guard trials[id] != nil || trials.count < limit else { return false }
            trials[id] = trial
            return true
        }
        guard isRegistered else { throw .tooManyTrials(limit: limit) }
    }

    func trial(_ id: String) -> FixtureTrial? {
        trials.withLock { $0[id] }
    }

    /// Frees a trial. Requests that it has under way are still answered.
    ///
    /// - Returns: whether there was one.
    func remove(_ id: String) -> Bool {
        trials.withLock { $0.removeValue(forKey: id) } != nil
    }
}
