import Foundation
import Locks

/// The checks of a contract as a JUnit file, a case each: Swift Testing's own file has one for the whole test.
///
/// The file is written anew after each check, so that it is complete up to a crash; a check that has not run is skipped.
final class ContractReport: Sendable {
    private struct State {
        var results: [String: (result: CheckResult, seconds: Double)] = [:]
        var isUnwritten = false
    }

    private let path: String
    private let cache: String
    private let names: [String]
    private let state = Locked(State())

    init(path: String, cache: String, names: [String]) {
        (self.path, self.cache, self.names) = (path, cache, names)
    }

    /// Adds a result.
    ///
    /// - Returns: why the file can't be written, once.
    func add(_ result: CheckResult, of name: String, after duration: Duration) -> String? {
        state.withLock { state in
            state.results[name] = (result, duration / .seconds(1))
            do {
                try Data(text(state).utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
                return nil
            } catch {
                defer { state.isUnwritten = true }
                return state.isUnwritten ? nil : "\(path) can't be written: \(error.localizedDescription)"
            }
        }
    }

    private func text(_ state: State) -> String {
        let results = state.results.values
        let failed = results.count { !$0.result.failures.isEmpty }
        let skipped = names.count - results.count { !$0.result.failures.isEmpty || $0.result.reason == nil }
        let seconds = results.reduce(0) { $0 + $1.seconds }
        var lines = [
            #"<?xml version="1.0" encoding="UTF-8"?>"#,
            #"<testsuites><testsuite name="\#(Self.escaped(cache))" tests="\#(names.count)" failures="\#(failed)" "#
                + #"skipped="\#(skipped)" time="\#(seconds)">"#,
        ]
        for name in names {
            let known = state.results[name]
            lines.append(
                #"<testcase classname="\#(Self.escaped(cache))" name="\#(Self.escaped(name))" time="\#(known?.seconds ?? 0)">"#
            )
            for failure in known?.result.failures ?? [] {
                lines.append(#"<failure message="\#(Self.escaped(name))">\#(Self.escaped(failure))</failure>"#)
            }
            if known?.result.failures.isEmpty != false, let reason = known.map(\.result.reason) ?? "it did not run" {
                lines.append(#"<skipped message="\#(Self.escaped(reason))"/>"#)
            }
            lines.append("</testcase>")
        }
        return (lines + ["</testsuite></testsuites>", ""]).joined(separator: "\n")
    }

    /// A text in XML, which has no control characters but tabs and line ends.
    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "\t", "\n", "\r": escaped.unicodeScalars.append(scalar)
            case _ where scalar.value < 0x20 || scalar.value == 0xFFFE || scalar.value == 0xFFFF: escaped += "\u{FFFD}"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
