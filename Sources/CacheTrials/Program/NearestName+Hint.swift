import TrialModel

extension NearestName {
    /// What stands behind a name that is not known: the one that was meant, or all where none is near.
    static func hint(for name: String, in known: [String]) -> String {
        of(name, in: known).map { "did you mean '\($0)'?" } ?? "there are: \(known.joined(separator: ", "))"
    }
}
