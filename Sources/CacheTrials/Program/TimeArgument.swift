import ArgumentParser
import Foundation

/// A time on the command line: a number and its unit, as in scenario files.
enum TimeArgument {
    private static let units: [(suffix: String, seconds: Double)] = [
        ("ms", 0.001), ("min", 60), ("h", 3600), ("s", 1),
    ]
    private static let longestSeconds = 604_800.0

    /// Reads a time from one millisecond to seven days.
    ///
    /// - Throws: `ValidationError` that says what is allowed.
    static func parse(_ text: String) throws -> Duration {
        let compact = text.filter { $0 != " " }
        for (suffix, factor) in units where compact.hasSuffix(suffix) {
            guard let number = Double(compact.dropLast(suffix.count)), number.isFinite else { break }
            let seconds = number * factor
            guard seconds >= 0.001, seconds <= longestSeconds else { break }
            return .milliseconds(Int64(seconds * 1000))
        }
        throw ValidationError("'\(text)' is not a time; write a number from 1 ms to 168 h and a unit: ms, s, min or h.")
    }
}

/// A moment on the command line.
enum DateArgument {
    /// Reads ISO 8601.
    ///
    /// - Throws: `ValidationError`, with an example.
    static func parse(_ text: String) throws -> Date {
        guard let time = try? Date(text, strategy: .iso8601) else {
            throw ValidationError("'\(text)' is not a time; write it as 2030-01-31T12:00:00Z.")
        }
        return time
    }
}
