import TrialModel

/// Whether the values behind a place differ from those before it by more than random orders of all of them do.
///
/// It assumes nothing on the shape of the noise. The seed is fixed, so that the same values always get the same answer.
enum PermutationTest {
    /// How many random orders there are at most.
    static let orders = 9_999
    /// How many there are where none of them comes near: then the rest can hardly change the answer.
    static let ordersFirst = 1_999

    /// Whether at most a share ``ChangePoints/probability`` of all orders changes as far in this direction.
    ///
    /// Takes time in the order of ``orders`` times the shorter side, and a fifth of that where the answer is clear.
    ///
    /// - Parameter place: of the first value behind the change.
    static func passes(_ values: [Double], place: Int) -> Bool {
        let isFirstShorter = 2 * place <= values.count
        let shorter = isFirstShorter ? values[..<place] : values[place...]
        let mean = values.reduce(0, +) / Double(values.count)
        // What the shorter side's values lie above the mean, together.
        let surplus = shorter.reduce(0) { $0 + ($1 - mean) } * (1 - 1e-9)
        let sign = surplus < 0 ? -1.0 : 1
        var pool = values.map { ($0 - mean) * sign }
        var random = RandomSource(seed: 1, stream: UInt64(shorter.count), UInt64(values.count))
        // The order as it is counts as one of them.
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
