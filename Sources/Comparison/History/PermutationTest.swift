import TrialModel

/// Tests whether the values after a split differ from those before it by more than in random orders of all values.
///
/// It makes no assumption about the distribution of the noise. The seed is fixed, so that the same values always give
/// the same answer.
enum PermutationTest {
    /// The maximum number of random orders.
    static let orders = 9_999
    /// The number of random orders if none of them comes near: more orders could hardly change the answer.
    static let ordersFirst = 1_999

    /// Whether at most a share ``ChangePoints/probability`` of all orders changes as much in this direction.
    ///
    /// Takes time proportional to ``orders`` times the shorter side, and a fifth of that if the answer is clear.
    ///
    /// - Parameter place: the index of the first value after the change.
    static func passes(_ values: [Double], place: Int) -> Bool {
        let isFirstShorter = 2 * place <= values.count
        let shorter = isFirstShorter ? values[..<place] : values[place...]
        let mean = values.reduce(0, +) / Double(values.count)
        // The sum by which the shorter side's values exceed the mean.
        let surplus = shorter.reduce(0) { $0 + ($1 - mean) } * (1 - 1e-9)
        let sign = surplus < 0 ? -1.0 : 1
        var pool = values.map { ($0 - mean) * sign }
        var random = RandomSource(seed: 1, stream: UInt64(shorter.count), UInt64(values.count))
        // The actual order counts as one of them.
        let allowed = Int((ChangePoints.probability * Double(orders + 1)).rounded()) - 1
        var asFar = 0
        for order in 1...orders {
            if order > ordersFirst, asFar == 0 { return true }
            var sum = 0.0
            for index in 0..<shorter.count {
                pool.swapAt(index, index + Int(random.next(below: UInt64(pool.count - index))))
                sum += pool[index]
            }
            if sum >= surplus * sign { asFar += 1 }
            if asFar > allowed { return false }
        }
        return true
    }
}
