/// Why the fixture server refuses a trial.
package enum FixtureServerError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The id is not 1 to 200 letters, digits, `.`, `_` or `-`.
    case badTrialName(String)
    /// The registration is invalid, for these reasons.
    case badRegistration([String])
    /// The limit of registered trials is reached.
    case tooManyTrials(limit: Int)

    package var description: String {
        switch self {
        case .badTrialName(let id):
            "trial id '\(id.prefix(200))': a trial's id is 1 to 200 letters, digits, '.', '_' or '-'"
        case .badRegistration(let mistakes): mistakes.joined(separator: "\n")
        case .tooManyTrials(let limit): "\(limit) trials are registered; DELETE one first"
        }
    }
}
