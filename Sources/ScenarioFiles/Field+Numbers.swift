extension Field {
    /// A count, a size in bytes or a time in nanoseconds within `limit`.
    func amount(_ limit: AmountLimit) -> UInt64? {
        guard let (text, decimal) = decimal(allowed: limit.allowed) else { return nil }
        let units = AmountUnit.units(of: limit.kind)
        var scale: UInt64 = 1
        if limit.kind == .count {
            guard decimal.rest.isEmpty else {
                report(allowed: limit.allowed, hint: Self.spellingHint(text) ?? "a count has no unit")
                return nil
            }
        } else {
            guard let unit = units.first(where: { $0.name == decimal.rest }) else {
                report(allowed: limit.allowed, hint: Self.unitHint(decimal, text: text, units: units))
                return nil
            }
            scale = unit.scale
        }
        guard let amount = decimal.amount(times: scale), limit.range.contains(amount) else {
            report(allowed: limit.allowed, hint: Self.fractionHint(decimal, limit: limit, scale: scale))
            return nil
        }
        return amount
    }

    /// A number within `limit`; a share may also be in percent.
    func fraction(_ limit: FractionLimit) -> Double? {
        guard let (text, decimal) = decimal(allowed: limit.allowed) else { return nil }
        let isPercent = limit.kind == .share && decimal.rest == "%"
        guard isPercent || decimal.rest.isEmpty else {
            let hint = decimal.rest == "%" ? "percent are for shares" : Self.spellingHint(text)
            report(allowed: limit.allowed, hint: hint)
            return nil
        }
        let number = isPercent ? decimal.number / 100 : decimal.number
        guard number.isFinite, limit.range.contains(number) else {
            let isPercentMeant = limit.kind == .share && !isPercent && limit.range.contains(number / 100)
            report(allowed: limit.allowed, hint: isPercentMeant ? "did you mean \(text)%?" : nil)
            return nil
        }
        return number
    }

    private func decimal(allowed: String) -> (text: String, decimal: DecimalText)? {
        guard case .scalar(let text, let isQuoted) = node.content, !node.isNull else {
            report(allowed: allowed)
            return nil
        }
        guard let decimal = DecimalText(text) else {
            report(allowed: allowed, hint: Self.spellingHint(text))
            return nil
        }
        guard !isQuoted else {
            report(allowed: allowed, hint: "write it without quotes")
            return nil
        }
        return (text, decimal)
    }

    /// How to correct a number that other YAML readers interpret differently.
    private static func spellingHint(_ text: String) -> String? {
        guard text.count <= 64, text.contains(where: \.isWholeNumber) else { return nil }
        let unsigned = text.drop { $0 == "-" || $0 == "+" }
        if text.first == "+" { return "write it without +" }
        if unsigned.first == "." { return "write a digit before the point" }
        if unsigned.contains("_") { return "write it without _" }
        if unsigned.contains(":") { return "base 60 is not a number here" }
        if unsigned.contains(",") { return "write a point for the fraction, and nothing between thousands" }
        if unsigned.first == "0", let second = unsigned.dropFirst().first, second.isLetter || second.isNumber {
            return "write it in decimal, without leading zeros"
        }
        let afterDigits = unsigned.drop { $0.isWholeNumber || $0 == "." }
        if let sign = afterDigits.first, "eE".contains(sign), afterDigits.dropFirst().contains(where: \.isNumber) {
            return "write all digits, without an exponent"
        }
        return nil
    }

    private static func unitHint(_ decimal: DecimalText, text: String, units: [AmountUnit]) -> String {
        if let hint = spellingHint(text) { return hint }
        let names = units.map(\.name)
        let list = ScenarioMessage.list(names)
        if decimal.rest.isEmpty { return "the unit is missing: \(list)" }
        let sameLetters = names.first { $0.lowercased() == decimal.rest.lowercased() }
        return sameLetters.map { "did you mean \($0)?" } ?? "the units are \(list)"
    }

    /// The hint for an amount that would be in range without its fraction.
    private static func fractionHint(_ decimal: DecimalText, limit: AmountLimit, scale: UInt64) -> String? {
        let size = decimal.number * Double(scale)
        guard limit.kind != .count, !decimal.fraction.isEmpty, size >= Double(limit.range.lowerBound),
            size <= Double(limit.range.upperBound)
        else { return nil }
        return limit.kind == .size ? "this is not a whole number of bytes" : "this is not a whole number of nanoseconds"
    }
}
