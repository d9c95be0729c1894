/// A search for the highest sustained rate of arrivals: chooses the next rate to try, and takes the verdict on it.
///
/// From its start it goes up while rates are sustained, else down, by 2 and then by ever larger factors, until it has
/// one rate that was sustained and one that was not. Then it tries the geometric mean of the two, until they are no
/// further apart than the precision. Percentiles of response times rise with the rate, so one such pair is enough; if
/// noise breaks that order, the lowest rate that was not sustained stays the upper end.
///
/// ```swift
/// var search = RateSearch(start: 1000, within: 1...1_000_000, precision: 0.05)
/// while let rate = search.next { search.note(isSustained(rate) ? .sustained : .missed) }
/// search.sustained  // the highest sustained rate
/// ```
package struct RateSearch: Sendable {
    /// A rate that was not sustained.
    package struct Refusal: Hashable, Sendable {
        package var rate: Double
        package var verdict: RateVerdict
    }

    /// The most steps of a search: 7 reach a limit ten million times away, and 11 halve the last gap to a precision of
    /// 1 %.
    package static let mostSteps = 20

    /// The highest rate that was sustained; `nil` before the first one.
    package private(set) var sustained: Double?
    /// The lowest rate that was not sustained; `nil` before the first one.
    package private(set) var refused: Refusal?
    /// How many rates were tried.
    package private(set) var steps = 0
    /// The rate to try; `nil` when the search is over.
    package private(set) var next: Double?

    private let range: ClosedRange<Double>
    private let precision: Double
    /// The factor of the next step while the search has only one end.
    private var factor = 2.0

    /// - Parameters:
    ///   - start: the first rate to try; moved into the range.
    ///   - range: the lowest and the highest rate to try, both above 0.
    ///   - precision: how far apart the two ends may be at the end of the search, as a share of the lower one; at least
    ///     1 %.
    package init(start: Double, within range: ClosedRange<Double>, precision: Double) {
        self.range = range
        self.precision = max(0.01, precision)
        next = Self.rounded(start.isFinite ? start : range.lowerBound, within: range)
    }

    /// Takes the verdict on ``next``, and chooses the next rate.
    package mutating func note(_ verdict: RateVerdict) {
        guard let rate = next else { return }
        steps += 1
        if verdict == .sustained {
            sustained = rate
        } else {
            refused = Refusal(rate: rate, verdict: verdict)
        }
        next = steps < Self.mostSteps ? following() : nil
    }

    private mutating func following() -> Double? {
        switch (sustained, refused?.rate) {
        case (let low?, let high?):
            guard high > low * (1 + precision) else { return nil }
            return Self.rounded((low * high).squareRoot(), within: low...high)
        case (let low?, nil):
            return low < range.upperBound ? Self.rounded(low * widened(), within: range) : nil
        case (nil, let high?):
            return high > range.lowerBound ? Self.rounded(high / widened(), within: range) : nil
        case (nil, nil):
            return nil
        }
    }

    /// 2, 2, 4, 16, 256, 65,536: a start that is far off costs a few steps only.
    private mutating func widened() -> Double {
        let now = factor
        factor = steps == 1 ? 2 : min(factor * factor, 65_536)
        return now
    }

    /// Four digits are enough at a precision of 1 %.
    private static func rounded(_ rate: Double, within range: ClosedRange<Double>) -> Double {
        var scale = 1.0
        while rate * scale < 1_000, scale < 1e9 { scale *= 10 }
        while rate * scale >= 10_000, scale > 1e-12 { scale /= 10 }
        let rounded = (rate * scale).rounded() / scale
        return min(max(rounded, range.lowerBound), range.upperBound)
    }
}

/// The result of the trials at one rate.
package enum RateVerdict: Sendable {
    /// The objective was met.
    case sustained
    /// The objective was not met.
    case missed
    /// The harness could not send that many operations, or not on time: the strategy is not judged.
    case harnessLimited
}
