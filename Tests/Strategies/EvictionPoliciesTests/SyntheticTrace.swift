@testable import EvictionPolicies

/// The traces of `Fixtures/make-truth.py`, request for request.
enum SyntheticTrace: String, CaseIterable {
    case skewed, loop, scan, shifting, mixed

    static let requestCount = 20_000

    /// The objects in the order of the requests, not numbered densely, but below 40,000.
    var objects: [ObjectID] {
        var draws = Draws(state: 12345)
        return (0..<Self.requestCount).map { index in
            switch self {
            case .skewed: return draws.skewed(3000)
            case .loop: return ObjectID(index % 300)
            case .scan: return index % 2000 >= 1500 ? ObjectID(2000 + index) : draws.skewed(2000)
            case .shifting: return ObjectID(index / 2000 * 400) + draws.skewed(1500)
            case .mixed:
                let kind = draws.next()
                let other = draws.skewed(1200)
                return kind < 0.3 ? ObjectID(5000 + index % 700) : kind < 0.4 ? ObjectID(10_000 + index) : other
            }
        }
    }

    /// Knuth's linear congruential generator, so that another language can draw the same numbers.
    private struct Draws {
        var state: UInt64

        mutating func next() -> Double {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Double(state >> 11) * 0x1.0p-53
        }

        mutating func skewed(_ count: Int) -> ObjectID {
            let fraction = next()
            return ObjectID(fraction * fraction * fraction * Double(count))
        }
    }
}
