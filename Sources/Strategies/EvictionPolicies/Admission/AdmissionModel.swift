import Foundation

/// The Markov model of AdaptSize: how often a cache hits that admits objects with the probability exp(-size / c) and
/// evicts the least recently used.
///
/// An object that is requested with the rate r stays for the characteristic time T after its last use, so that a
/// request finds it with the probability p (e^(rT) - 1) / (1 + p (e^(rT) - 1)), where p is the probability of its
/// admission. T is the time at which the expected size of the resident objects is the capacity. It is found by false
/// position in logarithms: the plain iteration, T times what is missing, need not converge where p is small.
///
/// Departure from the paper: T is at most 4 windows. After these, a rate counts for less than 1 % of what it did, so
/// that nothing is known for longer times; without the limit, an object that is hardly ever admitted is expected to
/// stay forever, and c becomes much too small where most objects are requested once in a window. The limit was chosen
/// among 0.5 to 10 on cloudPhysicsIO, the trace on which it was compared, which therefore can't show how good it is.
///
/// Objects whose rates and sizes differ by less than 9 % are treated as equal.
struct AdmissionModel {
    /// Objects that are treated as equal.
    private struct Group {
        var count = 0.0
        /// The sums of their rates and sizes.
        var rate = 0.0
        var size = 0.0
    }

    /// The logarithm of the longest characteristic time.
    private static let longestTime = 2.0
    let limit: Double
    private var groups: [Group] = []
    private var groupOfKey: [Int: Int] = [:]
    private var totalSize = 0.0

    init(limit: Double) { self.limit = limit }

    /// Adds an object; its rate and size are greater than 0.
    mutating func add(rate: Double, size: Double) {
        let key = Int((log2(rate) * 8).rounded()) * 4096 + Int((log2(size) * 8).rounded())
        let index = groupOfKey[key] ?? groups.count
        if index == groups.count {
            groups.append(Group())
            groupOfKey[key] = index
        }
        groups[index].count += 1
        groups[index].rate += rate
        groups[index].size += size
        totalSize += size
    }

    /// The c with the most hits; `nil` when everything fits, so that there is nothing to choose.
    ///
    /// The logarithm of c is searched in steps of 1 up to that of the capacity, then between the neighbours of the best
    /// by golden section. The hits need not have one maximum only, which is why the steps come first.
    func bestScale() -> Double? {
        guard limit >= 1, totalSize > limit else { return nil }
        let highest = Int(log2(limit).rounded(.up)) + 1
        var time = 1.0
        var best = (exponent: Double(highest), hits: -1.0)
        for exponent in (0...highest).reversed() {
            let hits = hits(exponent: Double(exponent), &time)
            if hits > best.hits { best = (Double(exponent), hits) }
        }
        var (low, high) = (best.exponent - 1, best.exponent + 1)
        let ratio = 0.5 * (5.0.squareRoot() - 1)
        var (left, right) = (high - ratio * (high - low), low + ratio * (high - low))
        var (leftHits, rightHits) = (hits(exponent: left, &time), hits(exponent: right, &time))
        for _ in 0..<8 {
            if leftHits > rightHits {
                (high, right, rightHits) = (right, left, leftHits)
                left = high - ratio * (high - low)
                leftHits = hits(exponent: left, &time)
            } else {
                (low, left, leftHits) = (left, right, rightHits)
                right = low + ratio * (high - low)
                rightHits = hits(exponent: right, &time)
            }
        }
        let found = leftHits > rightHits ? (left, leftHits) : (right, rightHits)
        return exp2(found.1 > best.hits ? found.0 : best.exponent)
    }

    /// The expected hits in a window for c = 2^exponent.
    ///
    /// - Parameter time: the characteristic time from which the search starts, replaced by the one that it finds.
    func hits(exponent: Double, _ time: inout Double) -> Double {
        let scale = exp2(exponent)
        let probabilities = groups.map { exp(-$0.size / $0.count / scale) }
        /// The logarithm of what the objects take of the capacity.
        func excess(_ logarithm: Double) -> Double {
            log2(max(expectation(exp2(logarithm), probabilities).size, 1e-300) / limit)
        }
        // Brackets the time. Admission may keep out so much that the rest fits all the time.
        var low = log2(time)
        var lowExcess = excess(low)
        var (high, highExcess) = (low, lowExcess)
        while highExcess < 0, high < Self.longestTime {
            (low, lowExcess) = (high, highExcess)
            high = min(high + 3, Self.longestTime)
            highExcess = excess(high)
        }
        while lowExcess > 0, low > -80 {
            (high, highExcess) = (low, lowExcess)
            low -= 3
            lowExcess = excess(low)
        }
        var found = highExcess < 0 ? high : low
        if lowExcess < 0, highExcess > 0 {
            for step in 0..<40 {
                // Every third step halves the bracket, which bounds their number.
                let share = step % 3 == 2 ? 0.5 : lowExcess / (lowExcess - highExcess)
                found = low + (high - low) * share
                let excess = excess(found)
                if abs(excess) < 0.003 { break }
                if excess < 0 { (low, lowExcess) = (found, excess) } else { (high, highExcess) = (found, excess) }
            }
        }
        time = exp2(found)
        return expectation(exp2(found), probabilities).hits
    }

    /// The expected size of the resident objects, and the expected hits in a window.
    private func expectation(_ time: Double, _ probabilities: [Double]) -> (size: Double, hits: Double) {
        var (size, hits) = (0.0, 0.0)
        for (group, probability) in zip(groups, probabilities) {
            // The exponential function is finite up to 709.
            let odds = probability * expm1(min(group.rate / group.count * time, 700))
            let residence = odds / (1 + odds)
            size += group.size * residence
            hits += group.rate * residence
        }
        return (size, hits)
    }
}
