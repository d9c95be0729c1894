import ArgumentParser

/// Options and verbs that have other names now, so that an old command line says what to write.
enum FormerNames {
    private static let verbs = [
        ("run", "--check", "check"), ("run", "--explore", "explore --orders N"),
        ("run", "--explore-seed", "explore --seed N"), ("run", "--explore-orders", "explore --choice CHOICE"),
        ("run", "--find-max-rate", "max-rate"), ("run", "--objective", "max-rate --objective LIMIT"),
        ("run", "--mode", "run --interleaved', 'count', 'check', 'explore' or 'max-rate"),
        ("run", "--counter", "count --counter COUNTER"), ("run", "--cache-sim", "count --cache-sim"),
        ("run", "--profile", "count --profile"),
        ("plan", "plan", "run --shard 2/4"),
    ]

    /// Refuses a command line with a former name.
    ///
    /// - Throws: `ValidationError` that says what to write instead.
    static func refuse(_ arguments: [String]) throws {
        guard let verb = arguments.first else { return }
        let words = arguments.prefix { $0 != "--" }.map { $0.prefix { $0 != "=" } }
        for (former, word, new) in verbs where former == verb && words.contains(word[...]) {
            throw ValidationError("'\(former == word ? word : "\(former) \(word)")' is now '\(new)'.")
        }
    }
}
