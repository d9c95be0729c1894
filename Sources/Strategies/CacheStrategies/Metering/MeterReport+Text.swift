extension MeterReport: CustomStringConvertible {
    /// A few sentences: what was metered, LRU at this size and at a larger one, and the best policy.
    public var description: String {
        guard lookups > 0 else { return "No lookups in \(Self.span(seconds))." }
        var lines = [
            "\(Self.count(lookups)) \(lookups == 1 ? "lookup" : "lookups") in \(Self.span(seconds)), \(sampleText)."
        ]
        if seenShare < 0.99 {
            lines.append(
                "\(Self.percent(1 - seenShare)) of the lookups came too fast to be metered and are left out.")
        }
        guard let window = sinceStart, let real = window.point("lru", near: capacity) else {
            return lines.joined(separator: "\n")
                + "\nFewer than \(Int(MeterEstimator.sampledRequestsMin)) of them are of sampled keys: too few for a hit ratio."
        }
        if keys * meanCost < Double(capacity.units) {
            lines.append(
                "All \(Self.count(Int(keys))) keys fit into \(Self.text(capacity)): neither a larger cache nor "
                    + "another policy gains anything so far.")
        }
        lines.append("LRU at \(Self.text(capacity)): \(Self.ratio(real.hitRatio)) hits.\(largerText(window, real))")
        lines.append(policyText(window))
        if let hour = lastHour?.point("lru", near: capacity), let hourLookups = lastHour?.lookups, seconds > 4_500 {
            lines.append("In the last hour: \(Self.count(hourLookups)) lookups, LRU \(Self.ratio(hour.hitRatio)) hits.")
        }
        return lines.joined(separator: "\n")
    }

    private var isExact: Bool { keyShare >= 1 }

    private var sampleText: String {
        if isExact { return "all keys metered" }
        return keyShare > 0.1
            ? "\(Self.percent(keyShare)) of the keys sampled"
            : "1 in \(Int((1 / keyShare).rounded())) keys sampled"
    }

    /// The next larger size of LRU.
    private func largerText(_ window: Window, _ real: Point) -> String {
        guard let larger = window.points.first(where: { $0.policy == "lru" && $0.capacity.units > real.capacity.units })
        else { return "" }
        let misses = max(1 - real.hitRatio.value, .leastNonzeroMagnitude)
        let fewer = larger.gain.value / misses
        let more = capacity.times(Double(larger.capacity.units - real.capacity.units) / Double(capacity.units))
        let worth =
            larger.gain.value > larger.gain.error
            ? "\(Self.percent(fewer)) fewer requests to the origin for \(Self.text(more)) more"
            : "no gain beyond the error"
        return " At \(Self.text(larger.capacity)): \(Self.ratio(larger.hitRatio)); \(worth)."
    }

    /// The policy that gains most over LRU at the real size, if that is beyond its error.
    private func policyText(_ window: Window) -> String {
        let others = Self.policies.filter { $0 != "lru" }.compactMap { window.point($0, near: capacity) }
        guard let best = others.max(by: { $0.gain.value < $1.gain.value }), best.gain.value > best.gain.error,
            best.gain.value >= 0.001
        else {
            return
                "No other policy tried (\(Self.policies.filter { $0 != "lru" }.map(Self.title).joined(separator: ", "))) hits more often, beyond the error."
        }
        return "\(Self.title(best.policy)) at \(Self.text(capacity)) would have \(Self.ratio(best.hitRatio)) hits."
    }

    private static func title(_ policy: String) -> String { policy.uppercased() }

    /// `61.2 % (±0.9)`.
    private static func ratio(_ estimate: MeterEstimate) -> String {
        let value = "\(fixed(100 * estimate.value)) %"
        return estimate.error > 0 ? "\(value) (±\(fixed(max(0.1, 100 * estimate.error))))" : value
    }

    private static func percent(_ share: Double) -> String { "\(fixed(100 * share)) %" }

    /// One decimal.
    private static func fixed(_ value: Double) -> String {
        let tenths = Int((min(max(value, -1e15), 1e15) * 10).rounded())
        return "\(tenths < 0 ? "-" : "")\(abs(tenths) / 10).\(abs(tenths) % 10)"
    }

    private static func text(_ capacity: MeterCapacity) -> String {
        guard case .bytes(let bytes) = capacity else {
            return "\(capacity.units) \(capacity.units == 1 ? "entry" : "entries")"
        }
        var (value, unit) = (Double(bytes), "B")
        for larger in ["KiB", "MiB", "GiB", "TiB"] where value >= 1024 { (value, unit) = (value / 1024, larger) }
        return unit == "B" ? "\(bytes) B" : "\(value == value.rounded() ? "\(Int(value))" : fixed(value)) \(unit)"
    }

    private static func count(_ count: Int) -> String {
        if count < 10_000 { return "\(count)" }
        if count < 1_000_000 { return "\(fixed(Double(count) / 1e3)) k" }
        return "\(fixed(Double(count) / 1e6)) M"
    }

    private static func span(_ seconds: Double) -> String {
        if seconds < 120 { return "\(fixed(seconds)) s" }
        if seconds < 7_200 { return "\(Int(seconds / 60)) min" }
        return seconds < 172_800 ? "\(fixed(seconds / 3_600)) h" : "\(fixed(seconds / 86_400)) days"
    }
}
