import EvictionPolicies
import Foundation

/// What advice is wanted for: everything that a trace can't tell.
package struct AdviceRequest: Sendable, Hashable {
    /// The size of the cache; `nil` to let the advice choose it.
    package var budget: ReplayCapacity?
    /// The time of a miss: to the first byte, and for each byte where the trace has sizes. `nil` to count hits, or the
    /// trace's own costs.
    package var missCost: MissCost?
    /// What memory has to earn; `nil` to stop where twice the memory gains less than one point of the hit ratio.
    package var worth: AdviceWorth?
    /// Selects the keys of a sample, and the resampled slices.
    package var seed: UInt64 = 1
    /// The number of threads that replay at once, at least 1.
    package var jobs = ProcessInfo.processInfo.activeProcessorCount
    /// Whether the curves are wanted where the size is given.
    package var wantsCurve = true
    /// The most requests that are replayed. A longer trace is sampled.
    package var replayedRequestsMax = 1 << 21

    /// The defaults: hits count, and the advice chooses the size.
    package init() {}
}

/// The time that memory must save for each request to be worth its price, in nanoseconds.
package enum AdviceWorth: Sendable, Hashable {
    case perMebibyte(Double)
    case perThousandEntries(Double)

    /// Whether objects' sizes must be known.
    var isBytes: Bool { if case .perMebibyte = self { true } else { false } }

    /// In nanoseconds for each byte or entry.
    var perUnit: Double {
        switch self {
        case .perMebibyte(let time): time / 1_048_576
        case .perThousandEntries(let time): time / 1_000
        }
    }
}

/// Why no advice is possible: the input is wrong, not merely weak.
package struct AdviceError: Error, Sendable, Hashable, CustomStringConvertible {
    /// One sentence that says what to do.
    package let description: String
}

/// A number and its standard error.
package struct AdviceEstimate: Sendable, Hashable {
    package var value: Double
    /// The standard error: how much slices of the trace differ, and in a sample how much its groups of keys do.
    package var error: Double

    package init(value: Double, error: Double) { (self.value, self.error) = (value, error) }
}

/// How the numbers of an advice were obtained.
package enum AdviceMethod: Sendable, Hashable, CustomStringConvertible {
    /// Every request was replayed.
    case exactReplay
    /// Caches were replayed in miniature, with this share of the keys.
    case spatialSample(rate: Double)
    /// A meter beside an app's cache ran miniatures over this share of the keys.
    case meter(rate: Double)

    package var description: String {
        switch self {
        case .meter(let rate):
            "a meter of the cache, over \((rate * 1e6).rounded() / 1e4) % of the keys"
        case .exactReplay: "exact replay of every request"
        case .spatialSample(let rate):
            "miniature simulation of \((rate * 1e6).rounded() / 1e4) % of the keys "
                + "(SHARDS, Waldspurger et al. 2015, 2017)"
        }
    }
}
