extension Field {
    /// One line of text. Text that YAML may read as a number, a truth or null must be quoted.
    func text() -> String? {
        guard let text = unambiguousText(form: .text) else { return nil }
        let isPrintable = text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
        guard isPrintable, 1...ScenarioLimits.titleLength ~= text.count else {
            report(allowed: ScenarioForm.text.allowed)
            return nil
        }
        return text
    }

    /// A name that is valid in file names and columns.
    func name() -> String? {
        guard let name = unambiguousText(form: .name) else { return nil }
        guard Self.isName(name) else {
            report(allowed: ScenarioForm.name.allowed)
            return nil
        }
        return name
    }

    /// Whether a text begins with a letter or digit and has no characters that are invalid in file names or columns.
    static func isName(_ text: String) -> Bool {
        guard let first = text.utf8.first, text.utf8.count <= 64 else { return false }
        func isAlphanumeric(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: false
            }
        }
        return isAlphanumeric(first) && text.utf8.allSatisfy { isAlphanumeric($0) || "-._".utf8.contains($0) }
    }

    private func unambiguousText(form: ScenarioForm) -> String? {
        guard case .scalar(let text, let isQuoted) = node.content, !node.isNull else {
            report(allowed: form.allowed)
            return nil
        }
        let words = ["true", "false", "yes", "no", "on", "off", "y", "n", ".nan", ".inf", "-.inf"]
        let isNumber = Double(text) != nil || DecimalText(text)?.rest.isEmpty == true
        guard isQuoted || !words.contains(text.lowercased()) && !isNumber else {
            report(allowed: form.allowed, hint: "put it in quotes if it is meant as text")
            return nil
        }
        return text
    }

    /// `true` or `false`, but none of YAML's other words for them.
    func truth() -> Bool? {
        switch node.content {
        case .scalar("true", isQuoted: false): return true
        case .scalar("false", isQuoted: false): return false
        case .scalar(_, isQuoted: true):
            report(allowed: ScenarioForm.truth.allowed, hint: "write it without quotes")
        default: report(allowed: ScenarioForm.truth.allowed)
        }
        return nil
    }
}
