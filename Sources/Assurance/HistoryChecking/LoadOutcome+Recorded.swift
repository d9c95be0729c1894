package import CacheStrategies
package import TrialModel

extension LoadOutcome {
    /// The outcome as a record stores it.
    package var recorded: Outcome {
        switch self {
        case .hit: .hit
        case .loaded: .miss
        case .joined: .joined
        }
    }
}
