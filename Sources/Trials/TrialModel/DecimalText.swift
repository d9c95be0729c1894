/// A number at the start of a text, in the only form that scenario files and the command line have: digits with an
/// optional sign and fraction.
///
/// Octal, hexadecimal, base 60, exponents, underscores, leading zeros, infinities and NaN are rejected, because YAML
/// readers disagree about them.
package struct DecimalText: Sendable {
    private let isNegative: Bool
    /// The digits before the point.
    private let whole: Substring
    /// The digits after the point; may be empty.
    package let fraction: Substring
    /// The text after the number, without a single separating space.
    package let rest: Substring

    /// Parses the number at the start of `text`; `nil` when `text` does not start with a strict decimal.
    package init?(_ text: String) {
        var remaining = Substring(text)
        isNegative = remaining.first == "-"
        if isNegative { remaining.removeFirst() }
        whole = Self.digits(of: &remaining)
        guard !whole.isEmpty, whole.count == 1 || whole.first != "0" else { return nil }
        if remaining.first == "." {
            remaining.removeFirst()
            fraction = Self.digits(of: &remaining)
            guard !fraction.isEmpty else { return nil }
        } else {
            fraction = ""
        }
        if remaining.first == " " {
            remaining.removeFirst()
            guard let next = remaining.first, next != " " else { return nil }
        }
        rest = remaining
    }

    private static func digits(of text: inout Substring) -> Substring {
        let digits = text.prefix { $0.isASCII && $0.isWholeNumber }
        text.removeFirst(digits.count)
        return digits
    }

    /// The number times `scale`, if the product is a whole number that fits 64 bits; otherwise `nil`.
    ///
    /// Never rounds: `0.5` times 1024 is 512, `0.3` times 1 is `nil`.
    package func amount(times scale: UInt64) -> UInt64? {
        guard !isNegative, let units = UInt64(whole) else { return nil }
        let (product, overflows) = units.multipliedReportingOverflow(by: scale)
        let significant = fraction.reversed().drop { $0 == "0" }.reversed()
        guard !overflows, significant.count <= 15 else { return nil }
        guard !significant.isEmpty else { return product }
        guard let numerator = UInt64(String(significant)) else { return nil }
        let denominator = (0..<significant.count).reduce(UInt64(1)) { power, _ in power * 10 }
        let part = numerator.multipliedFullWidth(by: scale)
        guard part.high < denominator else { return nil }
        let (quotient, remainder) = denominator.dividingFullWidth(part)
        guard remainder == 0 else { return nil }
        let (sum, carries) = product.addingReportingOverflow(quotient)
        return carries ? nil : sum
    }

    /// The number in floating point; infinite when it is out of range.
    package var number: Double {
        Double("\(isNegative ? "-" : "")\(whole)\(fraction.isEmpty ? "" : ".\(fraction)")") ?? .infinity
    }

    /// A share, as `5%` or `0.05`; `nil` when something else follows the number.
    package var share: Double? { rest == "%" ? number / 100 : rest.isEmpty ? number : nil }
}

/// Numbers in result files and tables, the same under every locale.
extension DecimalText {
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
        return sign + fixed(units, of: scale, places: places)
    }

    /// The quotient of a whole number and a power of ten, which has so many decimals.
    package static func fixed(_ units: UInt64, of scale: UInt64, places: Int) -> String {
        let fraction = String(units % scale)
        return "\(units / scale)." + String(repeating: "0", count: max(0, places - fraction.count)) + fraction
    }

    /// The number with at most `places` decimals, without zeros at the end.
    package static func shortest(_ value: Double, places: Int) -> String {
        var text = fixed(value, places: places)
        guard text.contains("."), !text.contains("e") else { return text }
        while text.last == "0" { text.removeLast() }
        if text.last == "." { text.removeLast() }
        return text
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
