/// Figures for people: three significant digits and a unit.
package enum Quantity {
    /// A time: `950 ns`, `1.23 µs`, `45.6 ms`, `7.89 s`; from two minutes on as ``span(seconds:)``.
    package static func duration(nanoseconds: UInt64) -> String {
        if nanoseconds < 1_000 { return "\(nanoseconds) ns" }
        let value = Double(nanoseconds)
        // The limits are where three digits would round up to the next unit.
        if value < 999_500 { return threeDigits(value / 1_000) + " µs" }
        if value < 999_500_000 { return threeDigits(value / 1_000_000) + " ms" }
        if value < 120_000_000_000 { return threeDigits(value / 1_000_000_000) + " s" }
        return span(seconds: nanoseconds / 1_000_000_000)
    }

    /// A range of times, with its unit once where it is the same: `1.20–4.56 ms`, `950 ns–1.23 µs`.
    package static func durations(_ range: ClosedRange<UInt64>) -> String {
        let low = duration(nanoseconds: range.lowerBound)
        let high = duration(nanoseconds: range.upperBound)
        let parts = low.split(separator: " ")
        guard parts.count == 2, parts.last == high.split(separator: " ").last else { return "\(low)–\(high)" }
        return "\(parts[0])–\(high)"
    }

    /// A long time in its two largest units: `42 s`, `3 min 05 s`, `2 h 07 min`.
    package static func span(seconds: UInt64) -> String {
        func twoDigits(_ number: UInt64) -> String { number < 10 ? "0\(number)" : "\(number)" }
        if seconds < 60 { return "\(seconds) s" }
        if seconds < 3_600 { return "\(seconds / 60) min \(twoDigits(seconds % 60)) s" }
        return "\(seconds / 3_600) h \(twoDigits(seconds % 3_600 / 60)) min"
    }

    /// A size: `950 B`, `1.50 KiB`, `64.0 MiB`, `3.25 GiB`.
    package static func bytes(_ count: UInt64) -> String {
        if count < 1_024 { return "\(count) B" }
        var value = Double(count) / 1_024
        for unit in ["KiB", "MiB", "GiB"] {
            if value < 1_023.5 { return "\(threeDigits(value)) \(unit)" }
            value /= 1_024
        }
        return "\(threeDigits(value)) TiB"
    }

    /// A count: `950`, `1.23k`, `45.6M`, `7.89G`.
    package static func count(_ count: UInt64) -> String {
        if count < 1_000 { return String(count) }
        var value = Double(count) / 1_000
        for unit in ["k", "M"] {
            if value < 999.5 { return threeDigits(value) + unit }
            value /= 1_000
        }
        return threeDigits(value) + "G"
    }

    /// A rate, as ``count(_:)``, with decimals below 100: `0.25`, `45.6`, `1.23k`.
    package static func rate(_ perSecond: Double) -> String {
        guard perSecond.isFinite, perSecond >= 0, perSecond < 1e18 else { return "" }
        return perSecond < 99.95 ? threeDigits(perSecond) : count(UInt64(perSecond.rounded()))
    }

    /// A ratio in per cent with one decimal. A ratio just below 100 % or above 0 is shown as `>99.9%` or `<0.1%`.
    package static func percent(_ ratio: Double) -> String {
        guard ratio.isFinite else { return "" }
        if ratio > 0, ratio < 0.0005 { return "<0.1%" }
        if ratio < 1, ratio >= 0.9995 { return ">99.9%" }
        return DecimalText.fixed(ratio * 100, places: 1) + "%"
    }

    /// A figure and how far its interval reaches, in the unit of the figure: `60 ns ±2`, `70.7% ±0.3`. The reach is
    /// rounded up, to a digit that the figure has; 0 is not shown, and more than the figure is `±>100%`, also of a figure
    /// of 0: without `±` it would look as if all repetitions agreed.
    package static func text(_ figure: String, _ value: Double, reach: Double) -> String {
        let digits = figure.drop { !$0.isNumber }.prefix { $0.isNumber || $0 == "." }
        guard reach != 0, !digits.isEmpty else { return figure }
        guard let shown = DecimalText.parse(String(digits)), shown > 0, reach < value.magnitude else {
            return "\(figure) ±>100%"
        }
        let own = reach / value.magnitude * shown
        let places = own < 10 ? min(digits.split(separator: ".").dropFirst().first?.count ?? 0, own < 1 ? 3 : 1) : 0
        let step = (0..<places).reduce(1.0) { step, _ in step / 10 }
        // A thousand is part of the number, and a unit is not.
        let scale = figure.drop { !$0.isNumber }.dropFirst(digits.count).prefix { "kMG".contains($0) }
        return "\(figure) ±\(DecimalText.fixed((own / step - 1e-9).rounded(.up) * step, places: places))\(scale)"
    }

    /// A count of things: `1 core`, `2 cores`.
    package static func many(_ count: some BinaryInteger, _ one: String, _ several: String? = nil) -> String {
        "\(count) \(count == 1 ? one : several ?? one + "s")"
    }

    /// The first three texts, and how many more there are.
    package static func few(_ texts: [String], separator: String = "; ") -> String {
        let rest = texts.count > 3 ? "\(separator == "; " ? ";" : "") and \(texts.count - 3) more" : ""
        return texts.prefix(3).joined(separator: separator) + rest
    }

    /// The text without decimals that are all zero: `1.00 ms` is `1 ms`.
    package static func trimmed(_ text: String) -> String {
        guard let point = text.firstIndex(of: ".") else { return text }
        let end = text[point...].dropFirst().firstIndex { !$0.isNumber } ?? text.endIndex
        let digits = text[text.index(after: point)..<end]
        guard digits.allSatisfy({ $0 == "0" }) else { return text }
        return String(text[..<point]) + String(text[end...])
    }

    /// A number from 0 with three digits: `1.23`, `12.3`, `123`.
    static func threeDigits(_ value: Double) -> String {
        DecimalText.fixed(value, places: value < 9.995 ? 2 : value < 99.95 ? 1 : 0)
    }
}

extension Metric {
    /// A figure for people; empty for a number that is not finite or out of range.
    package func text(_ value: Double) -> String {
        let whole = value >= 0 && value < 1e18 ? UInt64(value.rounded()) : nil
        return switch format {
        case .rate: Quantity.rate(value)
        case .nanoseconds: whole.map(Quantity.duration) ?? ""
        case .bytes: whole.map(Quantity.bytes) ?? ""
        case .share: Quantity.percent(value)
        case .decimal(let places, let unit): value.isFinite ? DecimalText.fixed(value, places: places) + unit : ""
        }
    }
}
