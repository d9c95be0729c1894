import Testing

@testable import ScenarioFiles

@Suite(.timeLimit(.minutes(1)))
struct YAMLStructureTests {
    @Test(arguments: [
        ("a: 1\na: 2", ["2:1"]), ("a: { b: 1, b: 2 }", ["1:12"]), ("a:\n  b: 1\n  b: 2\na: 3", ["3:3", "4:1"]),
        ("a:\n- b: 1\n  b: 2\na: 3", ["3:3", "4:1"]), ("a:\n  - b: 1\n  - b: 2\na: 3", ["4:1"]),
        ("a: 1\n'a': 2\n\"a\": 3", ["2:1", "3:1"]), ("a: [ { b: 1 }, { b: 2, b: 3 } ]", ["1:24"]),
        ("- a: 1\n  b: { a: 1 }\n  a: 2", ["3:3"]),
    ])
    func `a duplicate key is found at its place`(text: String, positions: [String]) {
        #expect(duplicates(in: text) == positions)
    }

    @Test(arguments: [
        "a: 1\nb: { a: 1 }", "- a: 1\n- a: 2", "a:\n  b: 1\nc:\n  b: 1", "a:\n- b: 1\n- b: 2\nc:\n- b: 3",
        "a: [ { b: 1 }, { b: 2 } ]", "a: a: a", "x: 'a: 1, a: 2' # a: a: a",
    ])
    func `a key of another mapping is not a duplicate`(text: String) {
        // "a: a: a" is not YAML; the parser reports that.
        #expect(duplicates(in: text).isEmpty)
    }

    @Test func `masking a duplicate key moves nothing`() throws {
        let text = "load: 1\nload: 2\n'load': 3 # load: 4"
        var scanner = YAMLScanner(text)
        scanner.scan()
        #expect(scanner.maskedText == "load: 1\n\u{F0000}xxx: 2\n'\u{F0001}xxx': 3 # load: 4")
    }

    private func duplicates(in text: String) -> [String] {
        var scanner = YAMLScanner(text)
        scanner.scan()
        return scanner.structure.duplicates.keys.sorted().map { "\($0.line):\($0.column)" }
    }
}
