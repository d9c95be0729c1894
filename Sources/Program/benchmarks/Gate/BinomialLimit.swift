import Foundation

/// How large a share may be of which a few cases were seen (Clopper and Pearson, 1934).
enum BinomialLimit {
    /// The upper limit of 95 %, one-sided.
    static func upper(_ count: Int, of cases: Int) -> Double {
        guard cases > 0 else { return 1 }
        func probability(ofAtMost count: Int, share: Double) -> Double {
            (0...count).reduce(0) { sum, k in
                let ways = lgamma(Double(cases + 1)) - lgamma(Double(k + 1)) - lgamma(Double(cases - k + 1))
                return sum + exp(ways + Double(k) * log(share) + Double(cases - k) * log1p(-share))
            }
        }
        var (low, high) = (Double(count) / Double(cases), 1.0)
        for _ in 0..<60 {
            let middle = (low + high) / 2
            if middle > 0, middle < 1, probability(ofAtMost: count, share: middle) > 0.05 {
                low = middle
            } else {
                high = middle
            }
        }
        return high
    }
}
