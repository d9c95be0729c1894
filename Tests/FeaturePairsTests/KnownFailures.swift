extension PairRule {
    /// What fails today, each with what happens. The list becomes empty: a case that no longer fails is removed here.
    static let knownFailures: [PairRule] = []

    /// Pairs that go together but take minutes, so that each is in one case of its own.
    static let costly: [PairRule] = []
}
