import TrialModel

extension NearestName {
    /// The hint for an unknown name: the nearest known name, or all of them when none is near.
    static func hint(for name: String, in known: [String]) -> String {
        of(name, in: known).map { "did you mean '\($0)'?" } ?? "there are: \(known.joined(separator: ", "))"
    }
}
