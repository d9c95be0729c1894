/// JUnit XML for the test views of CI systems.
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
        /// How long it took; `nil` when unknown.
        package var seconds: Double?

        package init(
            group: String, name: String, failure: String? = nil, skipped: String? = nil, seconds: Double? = nil
        ) {
            self.group = group
            self.name = name
            self.failure = failure
            self.skipped = skipped
            self.seconds = seconds
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
        let start =
            "    <testcase classname=\"\(escaped(item.group))\" name=\"\(escaped(item.name))\""
            + (item.seconds.map { " time=\"\($0)\"" } ?? "")
        if let failure = item.failure {
            return start + ">\n      <failure message=\"\(escaped(failure))\"/>\n    </testcase>\n"
        }
        if let skipped = item.skipped {
            return start + ">\n      <skipped message=\"\(escaped(skipped))\"/>\n    </testcase>\n"
        }
        return start + "/>\n"
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
