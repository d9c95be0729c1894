import Foundation
import Reports
import TrialModel

/// An axis: maps figures to positions from 0 to 1, and has ticks with texts.
struct Axis: Sendable {
    /// A position with a text.
    struct Tick: Hashable, Sendable {
        var value: Double
        var text: String
    }

    /// The mapping of figures to positions.
    enum Scale: Sendable {
        case linear, logarithmic
    }

    /// The title, with the unit.
    var title: String
    var scale: Scale
    var range: ClosedRange<Double>
    var ticks: [Tick]

    /// The position of a figure; a figure outside the range is moved to its end.
    func place(_ value: Double) -> Double {
        let (low, high, here) =
            switch scale {
            case .linear: (range.lowerBound, range.upperBound, value)
            case .logarithmic:
                (log10(range.lowerBound), log10(range.upperBound), log10(max(value, .leastNonzeroMagnitude)))
            }
        guard high > low, here.isFinite else { return 0 }
        return min(1, max(0, (here - low) / (high - low)))
    }

    /// An axis from 0, or from near the lowest figure, to a round number above the highest figure.
    ///
    /// - Parameter isBinary: whether to round to KiB, MiB and so on.
    static func linear(
        _ title: String, _ values: [Double], fromZero: Bool = true, isBinary: Bool = false, text: (Double) -> String
    ) -> Axis {
        let finite = values.filter(\.isFinite).map { max(-largest, min(largest, $0)) }
        let high = max(finite.max() ?? 1, fromZero ? 0 : -.infinity)
        let low = fromZero ? min(0, finite.min() ?? 0) : finite.min() ?? 0
        var unit = 1.0
        while isBinary, (high - low) / 4 >= unit * 1_024 { unit *= 1_024 }
        // A smaller step would be lost in the rounding of large figures.
        let step = max(roundStep((high - low) / 4 / unit) * unit, max(low.magnitude, high.magnitude) * 1e-12)
        let first = (low / step).rounded(.down) * step
        let count = max(1, Int(((high - first) / step - 1e-9).rounded(.up)))
        let ticks = (0...min(count, 12)).map { index in
            let value = first + Double(index) * step
            return Tick(value: value, text: text(value))
        }
        return Axis(title: title, scale: .linear, range: first...(first + Double(count) * step), ticks: ticks)
    }

    /// Figures of files may be so large or so small that an end of their axis would be infinite or 0.
    private static let largest = 1e250

    /// An axis from 0 to 100 %.
    static func share(_ title: String) -> Axis {
        Axis(
            title: title, scale: .linear, range: 0...1,
            ticks: [0, 0.25, 0.5, 0.75, 1].map { Tick(value: $0, text: "\(Int($0 * 100)) %") })
    }

    /// Powers of ten around the figures; for a range within two powers, also 2 and 5 times each power. Figures of 0 or
    /// less are left out.
    ///
    /// - Parameter isTight: whether the axis ends at the figures instead of at the next ticks.
    static func logarithmic(
        _ title: String, _ values: [Double], isTight: Bool = false, text: (Double) -> String
    ) -> Axis {
        let positive = values.filter { $0.isFinite && $0 > 0 }.map { max(1 / largest, min(largest, $0)) }
        let (low, high) = (positive.min() ?? 1, positive.max() ?? 10)
        let decades = log10(high / low)
        let factors: [Double] = decades <= 2.2 ? [1, 2, 5] : [1]
        let first = Int(log10(low).rounded(.down)) - 1
        let last = Int(log10(high).rounded(.up)) + 1
        // Some thirty ticks at most.
        let spacing = max(1, (last - first) / 30)
        let powers = stride(from: first, through: last + spacing - 1, by: spacing)
        var candidates = powers.flatMap { power in factors.map { $0 * pow(10, Double(power)) } }
        // One tick below the lowest figure, one above the highest.
        while candidates.count > 2, candidates[1] <= low * 1.0001 { candidates.removeFirst() }
        while candidates.count > 2, candidates[candidates.count - 2] >= high * 0.9999 { candidates.removeLast() }
        if isTight, high > low { candidates = candidates.filter { (low * 0.999...high * 1.001).contains($0) } }
        guard let start = candidates.first, let end = candidates.last else {
            return Axis(title: title, scale: .logarithmic, range: low...max(low * 1.01, high), ticks: [])
        }
        let range = isTight && high > low ? low...high : start...max(start * 1.01, end)
        // At most seven texts, so that they don't touch.
        let interval = max(1, Int((Double(candidates.count) / 7).rounded(.up)))
        let ticks = candidates.enumerated().map { index, value in
            Tick(value: value, text: index % interval == 0 ? text(value) : "")
        }
        return Axis(title: title, scale: .logarithmic, range: range, ticks: ticks)
    }

    /// An axis with a tick at each value, from the lowest to the highest.
    static func values(_ title: String, _ values: [Double], text: (Double) -> String) -> Axis {
        let ticks = Set(values).sorted().map { Tick(value: $0, text: text($0)) }
        let (low, high) = (ticks.first?.value ?? 0, ticks.last?.value ?? 1)
        return Axis(
            title: title, scale: isWide(values) ? .logarithmic : .linear, range: low...max(high, low + 1e-9),
            ticks: ticks)
    }

    /// Logarithmic where figures span more than a factor of ten, otherwise linear from 0.
    static func fitting(_ title: String, _ values: [Double], text: (Double) -> String) -> Axis {
        isWide(values) ? logarithmic(title + ", log", values, text: text) : linear(title, values, text: text)
    }

    /// Whether figures, all above 0, span more than a factor of ten.
    private static func isWide(_ values: [Double]) -> Bool {
        guard let low = values.min(), let high = values.max() else { return false }
        return low > 0 && high / low > 10
    }

    /// An axis of nines: 90 % at 1, 99 % at 2.
    static func percentiles(_ title: String, upTo nines: Double) -> Axis {
        let most = max(1, min(9, nines))
        var named: [(Double, String)] = [(0, "0"), (log10(2), "50 %"), (1, "90 %"), (2, "99 %")]
        for nines in 3...9 {
            let decimals = String(repeating: "9", count: nines - 2)
            named.append((Double(nines), "99.\(decimals) %"))
        }
        let ticks = named.filter { $0.0 <= most + 1e-9 }.map { Tick(value: $0.0, text: $0.0 > 4 ? "" : $0.1) }
        return Axis(title: title, scale: .linear, range: 0...most, ticks: ticks)
    }

    /// The smallest 1, 2, 2.5 or 5 times a power of ten that is not below `step`.
    private static func roundStep(_ step: Double) -> Double {
        guard step > 0, step.isFinite else { return 1 }
        let power = pow(10, log10(step).rounded(.down))
        return [1, 2, 2.5, 5, 10].map { $0 * power }.first { $0 >= step * 0.999 } ?? step
    }
}

/// Texts of ticks.
enum TickText {
    static func duration(_ nanoseconds: Double) -> String {
        Quantity.trimmed(Quantity.duration(nanoseconds: UInt64(max(0, min(nanoseconds.rounded(), 1e18)))))
    }

    static func count(_ value: Double) -> String {
        value < 100
            ? Markup.number(value) : Quantity.trimmed(Quantity.count(UInt64(max(0, min(value.rounded(), 1e18)))))
    }

    static func bytes(_ value: Double) -> String {
        (value < 0 ? "−" : "") + Quantity.trimmed(Quantity.bytes(UInt64(min(value.magnitude.rounded(), 1e18))))
    }

    static func percent(_ value: Double) -> String { Markup.number(value * 100) + " %" }

    /// A factor with three significant digits.
    static func factor(_ value: Double) -> String {
        let places = value < 9.995 ? 2 : value < 99.95 ? 1 : 0
        return DecimalText.fixed(value, places: places) + "×"
    }

    /// A factor with three decimals, which distinguish close factors.
    static func closeFactor(_ value: Double) -> String { DecimalText.fixed(value, places: 3) + "×" }
}
