/// When a comparison that goes on looks at its figures, and which share of the error it spends each time.
///
/// Who looks after every round and stops at the first difference finds one by chance in the end. So the looks become
/// rarer, a quarter more rounds each, and the k-th one may err with 6/(π²k²) of the whole: these shares add up to 1, and
/// however often somebody looks, the probability of any false verdict stays below the error.
///
/// Sources: H. Robbins and D. A. Darling, "Confidence sequences for mean, variance, and median" (1967), for intervals that
/// hold at all times; K. K. G. Lan and D. L. DeMets, "Discrete sequential boundaries for clinical trials" (1983), for the
/// error that is spent.
package enum SequentialLooks {
    /// The fewest samples that say anything about how much they scatter.
    package static var fewest: Int { 5 }

    /// The number of the look after so many rounds, from 1; `nil` where there is none.
    package static func look(after rounds: Int) -> Int? {
        let number = number(upTo: rounds)
        return number > 0 && number > self.number(upTo: rounds - 1) ? number : nil
    }

    /// How many looks there are in so many rounds.
    static func number(upTo rounds: Int) -> Int { self.rounds(upTo: rounds).count }

    /// After which rounds there is a look, up to a number of them.
    static func rounds(upTo last: Int) -> [Int] {
        var rounds: [Int] = []
        var round = fewest
        while round <= last {
            rounds.append(round)
            round += max(1, round / 4)
        }
        return rounds
    }

    /// The share of the error that the look after so many rounds may use; between two looks, that of the next.
    static func share(ofError rounds: Int) -> Double {
        let number = Double(max(1, number(upTo: rounds) + (look(after: rounds) == nil ? 1 : 0)))
        return 6 / (Double.pi * Double.pi * number * number)
    }
}
