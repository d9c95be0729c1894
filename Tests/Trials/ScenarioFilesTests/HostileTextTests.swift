import Foundation
import Testing
import TrialModel

@testable import ScenarioFiles

/// No text traps, and no text takes long: a slow text would exceed the suite's time limit.
@Suite(.timeLimit(.minutes(1)))
struct HostileTextTests {
    @Test(arguments: ["[", "{", "{a: ", "- ", "[a, ", "? ", "- - "])
    func `unlimited nesting is refused at the twenty-first level`(opening: String) {
        let text = String(repeating: opening, count: 200_000 / opening.count)
        #expect(!HostileText.mistakes(in: text).isEmpty)
    }

    @Test func `twenty levels are read and twenty-one are refused`() {
        func nested(_ levels: Int) -> String {
            "title: " + String(repeating: "[", count: levels) + String(repeating: "]", count: levels)
        }
        #expect(HostileText.mistakes(in: nested(19)).contains { $0.hasPrefix("1:8: title: found a list") })
        #expect(HostileText.mistakes(in: nested(20)) == ["1:27: found nesting beyond 20 levels, allowed: at most 20"])
    }

    @Test func `nesting by indentation is counted as well`() {
        let text = (0..<30).map { String(repeating: " ", count: $0) + "a:" }.joined(separator: "\n")
        #expect(HostileText.mistakes(in: text) == ["21:21: found nesting beyond 20 levels, allowed: at most 20"])
    }

    @Test func `an alias bomb is refused before anything is expanded`() {
        var text = "a0: &a0 [lol, lol, lol]\n"
        for level in 1...18 {
            let alias = "*a\(level - 1)"
            text += "a\(level): &a\(level) [\(Array(repeating: alias, count: 9).joined(separator: ", "))]\n"
        }
        text += "? *a18\n: x\n"
        #expect(HostileText.mistakes(in: text).first?.hasPrefix("1:5: found an anchor") == true)
    }

    @Test(arguments: [
        "[foo\n 'bar, &x [1], ', *x]", "{a: foo\n 'bar, &x : [1], ' : 3}",
        "\"a\": [\"b\" &x c]", "a: 'it''s' \nb: &c d", "[a,#\"\n &x b]", "a: \"\\\n &x \"", "{a: &x}", "[&x ]",
        "- &x\n- *x", "a:\n  - *x", "!<tag:yaml.org,2002:str> a: b", "&x a: b", "a: [b, c: &d e]",
    ])
    func `an anchor, alias or tag can't hide in odd syntax`(text: String) {
        #expect(HostileText.scannerFindings(in: text) > 0)
    }

    @Test(arguments: [
        "1e400", "-1e400", "9223372036854775808", "18446744073709551616", "-9223372036854775809", "NaN", ".nan", ".NaN",
        "inf", ".inf", "-.inf", "Infinity", "-1", "-0", "0x7f", "0b1", "0o17", "1e999999999", "0.1e-400", "1_000", "٣",
        "१०", "1٫5", "½", "9" + String(repeating: "9", count: 10_000),
        "0." + String(repeating: "0", count: 10_000) + "1",
        "1 ", "1  B", "1 B B", "%", "100 %%", "1/2", "+1", "--1", "1-", ".", "-", "-.5", "5.", "true", "''", "null",
    ])
    func `no number traps, in any place`(number: String) {
        let places = [
            "seed: N", "repetitions: N", "keys: { kind: url, count: N, popularity: { zipf: N } }",
            "keys: { kind: url, count: 5, popularity: { hotspot: { keys: N, operations: N } } }",
            "keys: { kind: url, count: 5, popularity: { zipf: 1 }, shift: { every: N, by: N } }",
            "values: { kind: bytes, size: N, time-to-live: N }", "values: { kind: bytes, size: N GiB }",
            "values: { kind: bytes, size: { log-normal: { median: N B, p99: N kB, max: N MiB } } }",
            "capacity: { entries: N, bytes: N h }", "origin: { delay: { table: [ { amount: N ms, weight: N } ] } }",
            "phases: [ { name: N, duration: N s, clients: N, think-time: N us, mix: { load: N }, burst-width: N } ]",
            "phases: [ { name: a, operations: N, keys: { first: N, count: N }, cancel: { share: N, after: N ns } } ]",
        ]
        for place in places {
            #expect(!HostileText.mistakes(in: place.replacing("N", with: number)).isEmpty)
        }
    }

    @Test func `a text of more than a mebibyte is refused`() {
        let text = "title: Base # " + String(repeating: "x", count: 1 << 20)
        #expect(HostileText.mistakes(in: text) == ["1:1: found more than 1 MiB, allowed: a file of at most 1 MiB"])
    }

    @Test(arguments: [
        "[" + String(repeating: "a,", count: 125_000), String(repeating: "\t", count: 250_000),
        String(repeating: "a: 1\n", count: 50_000), String(repeating: "'", count: 250_000),
        String(repeating: ":", count: 250_000), String(repeating: "{}", count: 125_000),
        String(repeating: "a ", count: 125_000) + ":", String(repeating: "-\n", count: 125_000),
        String(repeating: "&", count: 250_000), "a: " + String(repeating: "]", count: 250_000),
    ])
    func `a large text of one repeated piece is refused quickly`(text: String) {
        #expect(!HostileText.mistakes(in: text).isEmpty)
    }

    @Test func `twenty thousand values are the most`() {
        let text = "title: [" + String(repeating: "a,", count: 20_001) + "]"
        #expect(
            HostileText.mistakes(in: text).first?.hasSuffix("found more than 20000 values, allowed: at most 20000")
                == true)
    }

    @Test(arguments: ["", "\n\n", "# nothing", "---", "...", "~", "a", "[]", "{}", "\u{FEFF}"])
    func `a text without a scenario is refused`(text: String) {
        #expect(!HostileText.mistakes(in: text).isEmpty)
    }

    @Test func `a byte order mark and Windows line ends change nothing`() {
        let text = "\u{FEFF}" + ScenarioMistakeCase.Line.all.replacing("\n", with: "\r\n")
        #expect(HostileText.mistakes(in: text).isEmpty)
        let broken = text.replacing("clients: 4", with: "clients: 0")
        #expect(HostileText.mistakes(in: broken).first?.hasPrefix("9:14: phases[0].clients: found 0") == true)
    }

    @Test func `quoted findings are shortened and can't control a terminal`() {
        let long = ScenarioMistakeCase.Line.all.replacing("4", with: String(repeating: "x", count: 500))
        let expected = "found " + String(repeating: "x", count: 40) + "…, allowed"
        #expect(HostileText.mistakes(in: long).first?.contains(expected) == true)
        let steering = ScenarioMistakeCase.Line.all.replacing("kind: url", with: "\"\\e[2Jkind\": url")
        #expect(
            HostileText.mistakes(in: steering).contains { $0.contains("keys.\\u{1b}[2Jkind: found an unknown key") })
    }
}

extension HostileText {
    /// How many pieces of refused syntax the scanner finds.
    static func scannerFindings(in text: String) -> Int {
        var scanner = YAMLScanner(text)
        scanner.scan()
        return scanner.findings.count
    }
}
