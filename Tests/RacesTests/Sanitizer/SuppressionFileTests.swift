import Testing

@testable import Races

@Suite(.timeLimit(.minutes(1))) struct SuppressionFileTests {
    private static let issue = "# https://github.com/swiftlang/swift/issues/59068\n"

    private func problems(_ text: String) -> [String] {
        SuppressionFile.problems(in: text.utf8, path: "rules").map(\.description)
    }

    @Test func `rules with an issue each are accepted`() {
        let text = """
            # Foundation's own.
            # https://github.com/swiftlang/swift-corelibs-foundation/issues/12
            # More words.
            race:_CFThreadCreate

              # http://a, see https://bugs.llvm.org/show_bug.cgi?id=17066\r
            \tthread:Worker.swift\t\r

            # https://github.com/swiftlang/swift/pull/6453
            race_top:s4main*lock
            """
        #expect(problems(text) == [])
        #expect(problems("") == [] && problems("\n\n# no rule\n") == [])
    }

    @Test(arguments: ["race:$s2ec", "race:^_M_rep$", "race:s2ec$A"])
    func `a dollar sign is refused`(rule: String) {
        #expect(
            problems(Self.issue + rule) == [
                "rules:2: '$' means the end of a name here, so a mangled name never matches; "
                    + "leave it out: 's4main' for '$s4main'"
            ])
    }

    @Test(arguments: ["race:*", "race:", "race:**", "race:^*", "race:*C*", "thread:.*", "race_top: a"])
    func `a rule that matches nearly everything is refused`(rule: String) {
        #expect(problems(Self.issue + rule).map { $0.contains("matches nearly everything") } == [true])
    }

    @Test(arguments: ["leak:malloc", "malloc", "Race:malloc", "race :malloc", "//race:malloc"])
    func `a rule that the runtime can't read is refused`(rule: String) {
        #expect(
            problems(Self.issue + rule).first?.hasPrefix("rules:2: '\(rule)' is not a rule; write TYPE:PATTERN") == true
        )
    }

    @Test(arguments: [
        "", "# because\n", "# https://github.com/swiftlang/swift\n", "# http://example.com/issues/1\n",
        "# https://github.com/swiftlang/swift/issues/59068\n\n",
        "# https://github.com/swiftlang/swift/issues/59068\nrace:another\n",
    ])
    func `a rule without an issue directly above it is refused`(above: String) {
        let message = "a rule needs a comment with the URL of an upstream issue directly above it"
        #expect(problems(above + "race:malloc").last?.hasSuffix(message) == true)
    }

    @Test func `a fourth rule is refused`() {
        let rules = (0..<5).map { Self.issue + "race:malloc\($0)\n" }.joined()
        #expect(problems(rules) == ["rules:8: at most 3 suppressions are allowed"])
    }

    @Test func `a long comment is accepted`() {
        let comment = "# " + String(repeating: "https://a/", count: 90_000) + "\n"
        #expect(problems(comment + "race:malloc").count == 1)
    }

    @Test(arguments: ["/none/there", "/dev/zero", "/"]) func `a file that is not readable is refused`(path: String) {
        #expect(SuppressionFile.problems(path: path, shownAs: "rules").count == 1)
    }
}
