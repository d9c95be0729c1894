/// Numbers as text, the same under every locale.
package enum DecimalText {
    /// The number with a point and exactly `places` decimals; empty when it is not finite.
    ///
    /// Halves are rounded away from zero. A number too large for that many exact decimals has Swift's own form.
    package static func fixed(_ value: Double, places: Int) -> String {
        guard value.isFinite else { return "" }
        var scale: UInt64 = 1
        for _ in 0..<max(0, min(places, 9)) { scale *= 10 }
        let scaled = (value.magnitude * Double(scale)).rounded()
        guard scaled < 9_007_199_254_740_992, let units = UInt64(exactly: scaled) else { return "\(value)" }
        let sign = value < 0 && units > 0 ? "-" : ""
        guard scale > 1 else { return sign + String(units) }
        let fraction = String(units % scale)
        let padding = String(repeating: "0", count: max(0, places - fraction.count))
        return "\(sign)\(units / scale).\(padding)\(fraction)"
    }

    /// Parses a finite number: digits, optionally with a sign, a point and an exponent.
    package static func parse(_ text: String) -> Double? {
        let allowed = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "+"),
                UInt8(ascii: "e"):
                true
            default: false
            }
        }
        guard allowed, let value = Double(text), value.isFinite else { return nil }
        return value
    }

    /// Whether `text` consists of one or more decimal digits only.
    package static func isDigits(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}
