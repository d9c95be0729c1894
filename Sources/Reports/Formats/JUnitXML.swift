package import TrialModel

/// JUnit XML for the test views of CI systems: a case for each gate, and for every other result that passes or fails.
package enum JUnitXML {
    /// One test case.
    package struct Case: Hashable, Sendable {
        /// The subject of the case, such as a scenario.
        package var group: String
        package var name: String
        /// Why it failed; `nil` when it passed.
        package var failure: String?
        /// Why the case was skipped; `nil` when it ran.
        package var skipped: String?

        package init(group: String, name: String, failure: String? = nil, skipped: String? = nil) {
            self.group = group
            self.name = name
            self.failure = failure
            self.skipped = skipped
        }
    }

    /// The document.
    ///
    /// - Parameter suite: the name of the test suite.
    package static func render(suite: String, _ cases: [Case]) -> String {
        let counts =
            "tests=\"\(cases.count)\" failures=\"\(cases.count { $0.failure != nil })\" "
            + "errors=\"0\" skipped=\"\(cases.count { $0.failure == nil && $0.skipped != nil })\""
        let head = """
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuites \(counts)>
              <testsuite name="\(escaped(suite))" \(counts)>

            """
        return head + cases.map(element).joined() + "  </testsuite>\n</testsuites>\n"
    }

    private static func element(_ item: Case) -> String {
        let start = "    <testcase classname=\"\(escaped(item.group))\" name=\"\(escaped(item.name))\""
        if let failure = item.failure {
            return start + ">\n      <failure message=\"\(escaped(failure))\"/>\n    </testcase>\n"
        }
        if let skipped = item.skipped {
            return start + ">\n      <skipped message=\"\(escaped(skipped))\"/>\n    </testcase>\n"
        }
        return start + "/>\n"
    }

    /// A case for each gate.
    package static func cases(of verdict: RunVerdict) -> [Case] {
        verdict.gates.map { Case(group: "gates", name: $0.name, failure: $0.passed ? nil : $0.reason) }
    }

    /// A case for each phase of a trial. It fails when the phase did not complete, missed an expectation or gave a wrong
    /// answer; an interrupted or slow phase is skipped.
    ///
    /// - Parameter exempt: strategies whose failures are expected; they are left out.
    package static func cases(of trials: [TrialRow], exempt: Set<String>) -> [Case] {
        let unjudged: Set<TrialStatus> = [.partial, .slow]
        return trials.filter { !exempt.contains($0.key.trial.strategy) }.map { row in
            let trial = row.key.trial
            let isBad = row.status != .completed || (row.expectationsFailed ?? 0) > 0 || (row.wrongAnswers ?? 0) > 0
            let reason = "\(row.status.rawValue)\(row.reason.isEmpty ? "" : ": \(row.reason)")"
            return Case(
                group: "\(trial.scenario).\(trial.strategy)", name: "\(row.key.phase), repetition \(trial.repetition)",
                failure: isBad && !unjudged.contains(row.status) ? reason : nil,
                skipped: unjudged.contains(row.status) ? reason : nil)
        }
    }

    /// A case for each promise that a strategy was checked against, over all its trials. A promise with verdict
    /// `unknown` is skipped.
    ///
    /// - Parameter exempt: strategies whose failures are expected; they are left out.
    package static func cases(of promises: [ConsistencyRow], exempt: Set<String>) -> [Case] {
        PromiseOutcome.all(promises).filter { !exempt.contains($0.strategy) }.map { outcome in
            Case(
                group: outcome.strategy, name: "promise \(outcome.promise.rawValue)",
                failure: outcome.broken.first.map { "in \(outcome.places): \($0.example)" },
                skipped: outcome.verdict == .unknown ? outcome.rows.first?.example : nil)
        }
    }

    /// Text for an attribute. Characters that XML 1.0 can't hold become a replacement character.
    static func escaped(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&apos;"
            case "\t", "\n", "\r": result += "&#\(scalar.value);"
            case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{FFFE}", "\u{FFFF}": result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
    }
}
