/// How the error of a statement about many figures is spent: in equal parts on the comparisons, and in falling parts on
/// the looks of a sequential one. By the union bound, the parts add up to no more than the whole, for any dependence.
///
/// A comparison that looks after every round and stops at the first difference eventually finds one by chance.
/// Therefore the looks become rarer, with a quarter more rounds each, and the k-th look may spend 6/(π²k²) of the
/// error. These shares add up to 1, so the probability of any false verdict stays below the error for any number of
/// looks.
///
/// Sources: H. Robbins and D. A. Darling, "Confidence sequences for mean, variance, and median" (1967), for intervals
/// that are valid at all times; K. K. G. Lan and D. L. DeMets, "Discrete sequential boundaries for clinical trials"
/// (1983), for the error that is spent.
package enum ErrorSpending {
    /// The probability that any statement of a table or a page is false.
    package static let total = 0.05

    /// The error of each of some comparisons.
    package static func each(of comparisons: Int, total: Double = total) -> Double {
        total / Double(max(1, comparisons))
    }

    /// The minimum number of samples for an estimate of their scatter.
    package static var fewest: Int { 5 }

    /// The number of the look after `rounds` rounds, from 1; `nil` if there is no look.
    package static func look(after rounds: Int) -> Int? {
        let looks = self.rounds(upTo: rounds)
        return looks.last == rounds ? looks.count : nil
    }

    /// The rounds after which there is a look, up to the round `last`.
    package static func rounds(upTo last: Int) -> [Int] {
        var rounds: [Int] = []
        var round = fewest
        while round <= last {
            rounds.append(round)
            round += max(1, round / 4)
        }
        return rounds
    }

    /// The share of the error that the look after `rounds` rounds may spend; between two looks, the share of the next
    /// one.
    package static func share(ofError rounds: Int) -> Double {
        let number = Double(look(after: rounds) ?? self.rounds(upTo: rounds).count + 1)
        return 6 / (Double.pi * Double.pi * number * number)
    }
}
