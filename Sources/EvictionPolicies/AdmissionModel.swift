#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The Markov model of AdaptSize: how often a cache hits that admits objects with the probability exp(-size / c) and
/// evicts the least recently used.
///
/// An object that is requested with the rate r stays for the characteristic time T after its last use, so that a
/// request finds it with the probability p (e^(rT) - 1) / (1 + p (e^(rT) - 1)), where p is the probability of its
/// admission. T is the time at which the expected size of the resident objects is the capacity; each step of the search
/// for it multiplies T by what is missing.
struct AdmissionModel {
    let limit: Double
    private var rates: [Double] = []
    private var sizes: [Double] = []
    private var totalSize = 0.0

    init(limit: Double) { self.limit = limit }

    /// Adds an object.
    mutating func add(rate: Double, size: Double) {
        rates.append(rate)
        sizes.append(size)
        totalSize += size
    }

    /// The c with the most hits; `nil` when everything fits, so that there is nothing to choose.
    ///
    /// The logarithm of c is searched in steps of 1 up to that of the capacity, then between the neighbours of the best
    /// by golden section. The hits need not have one maximum only, which is why the steps come first.
    func bestScale() -> Double? {
        guard limit >= 1, totalSize > limit else { return nil }
        let highest = Int(log2(limit).rounded(.up)) + 1
        var time = limit / zip(rates, sizes).reduce(0) { $0 + $1.0 * $1.1 }
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
        let probabilities = sizes.map { exp(-$0 / scale) }
        var hits = 0.0
        for _ in 0..<30 {
            var size = 0.0
            hits = 0
            for index in rates.indices {
                let resident = Self.residence(rates[index] * time, probabilities[index])
                size += sizes[index] * resident
                hits += rates[index] * resident
            }
            let factor = size > 0 ? limit / size : 2
            if abs(factor - 1) < 0.002 { break }
            // Admission may keep out so much that the rest fits however long it stays.
            if time > 1e6 && factor > 1 { break }
            time = min(max(time * min(factor, 1000), 1e-9), 1e7)
        }
        return hits
    }

    /// The probability that an object is resident.
    static func residence(_ expectedRequests: Double, _ probability: Double) -> Double {
        // The exponential function is finite up to 709.
        let odds = probability * expm1(min(expectedRequests, 700))
        return odds / (1 + odds)
    }
}
