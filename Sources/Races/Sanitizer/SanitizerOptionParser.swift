/// Reads the text of `TSAN_OPTIONS` by the runtime's own rules.
///
/// Settings are separated by blanks, tabs, line breaks, commas and colons. A value in quotes, single or double, extends
/// to the next quote of that kind; nothing is escaped. The next setting may follow the closing quote directly.
enum SanitizerOptionParser {
    /// The settings in their order. O(length).
    static func settings(of text: String) throws(SanitizerOptionError) -> [SanitizerOptions.Setting] {
        var settings: [SanitizerOptions.Setting] = []
        var rest = Array(text.utf8)[...]
        while true {
            rest = rest.drop(while: isSeparator)
            guard !rest.isEmpty else { return settings }
            let name = rest.prefix { $0 != UInt8(ascii: "=") && !isSeparator($0) }
            rest = rest.dropFirst(name.count)
            guard rest.first == UInt8(ascii: "=") else { throw .noValue(name.text) }
            rest = rest.dropFirst()
            let value: Bytes
            if let quote = rest.first, quote == UInt8(ascii: "'") || quote == UInt8(ascii: "\"") {
                value = rest.dropFirst().prefix { $0 != quote }
                rest = rest.dropFirst(value.count + 1)
                guard !rest.isEmpty else { throw .openQuote(name.text) }
                rest = rest.dropFirst()
            } else {
                value = rest.prefix { !isSeparator($0) }
                rest = rest.dropFirst(value.count)
            }
            settings.append(SanitizerOptions.Setting(name.text, value.text))
        }
    }

    static func isSeparator(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: " "), UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "\n"), UInt8(ascii: "\t"),
            UInt8(ascii: "\r"):
            true
        default: false
        }
    }
}
