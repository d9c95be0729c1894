/// A number in the only form that scenario files may use: digits with an optional sign and fraction.
///
/// Octal, hexadecimal, base 60, exponents, underscores, leading zeros, infinities and NaN are rejected, because YAML
/// readers disagree about them.
struct DecimalText {
    let isNegative: Bool
    /// The digits before the point.
    let whole: Substring
    /// The digits after the point; may be empty.
    let fraction: Substring
    /// The text after the number, without a single separating space.
    let rest: Substring

    /// Parses the number at the start of `text`; `nil` when `text` does not start with a strict decimal.
    init?(_ text: String) {
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
    func amount(times scale: UInt64) -> UInt64? {
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
    var number: Double {
        Double("\(isNegative ? "-" : "")\(whole)\(fraction.isEmpty ? "" : ".\(fraction)")") ?? .infinity
    }
}
