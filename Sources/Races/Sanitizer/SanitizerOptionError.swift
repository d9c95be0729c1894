/// A mistake in `TSAN_OPTIONS`, or in the file of suppressions that it names.
package enum SanitizerOptionError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The runtime has no such option, and would silently ignore it.
    case unknown(String, nearest: String?)
    /// The option is reserved for the harness.
    case reserved(String, reason: String)
    /// The option is set twice.
    case repeated(String)
    /// There is no `=` after the name.
    case noValue(String)
    /// A quoted value doesn't end.
    case openQuote(String)
    /// The option is boolean, and the value is not.
    case badSwitch(String, value: String)
    /// The value has both kinds of quotes, or a zero byte, and can't be written.
    case unquotable(String)
    /// The file of suppressions can't be read.
    case unreadable(path: String, reason: String)
    /// A rule in the file of suppressions is not allowed.
    case suppression(path: String, line: Int, reason: String)

    package var description: String {
        switch self {
        case .unknown(let name, let nearest):
            "TSAN_OPTIONS: there is no option '\(name)'" + (nearest.map { "; did you mean '\($0)'?" } ?? "")
        case .reserved(let name, let reason): "TSAN_OPTIONS: '\(name)' can't be set here: \(reason)"
        case .repeated(let name): "TSAN_OPTIONS: '\(name)' is set twice; only the last would count"
        case .noValue(let name): "TSAN_OPTIONS: '\(name)' has no value; write \(name)=VALUE"
        case .openQuote(let name): "TSAN_OPTIONS: the quoted value of '\(name)' doesn't end"
        case .badSwitch(let name, let value):
            "TSAN_OPTIONS: '\(name)' is 0 or 1 (no, yes, false, true), and not '\(value)'"
        case .unquotable(let name):
            "TSAN_OPTIONS: the value of '\(name)' has quotes of both kinds or a zero byte, and can't be written"
        case .unreadable(let path, let reason): "TSAN_OPTIONS: the suppressions in '\(path)' can't be read: \(reason)"
        case .suppression(let path, let line, let reason): "\(path):\(line): \(reason)"
        }
    }
}

/// All mistakes of one `TSAN_OPTIONS`, together.
package struct SanitizerOptionErrors: Error, Sendable, Hashable, CustomStringConvertible {
    package let errors: [SanitizerOptionError]

    package init(_ errors: [SanitizerOptionError]) { self.errors = errors }

    package var description: String { errors.map(\.description).joined(separator: "\n") }
}
