import Reports
import Testing
import TrialModel

@Suite(.timeLimit(.minutes(1))) struct CSVTests {
    /// The rows given to Python's `csv.writer`.
    static let rows = [
        ["a", "b"], ["plain", "1"], ["comma, here", "quote \" here"], ["line\nfeed", "cr\r\nlf"], ["", "  blanks "],
        ["=cmd|' /C calc'!A0", "@x"], ["Größe", "日本 👩‍👩‍👧"], ["\"", ","],
    ]

    /// The text that it wrote.
    static let fromPython =
        "a,b\r\nplain,1\r\n\"comma, here\",\"quote \"\" here\"\r\n\"line\nfeed\",\"cr\r\nlf\"\r\n,  blanks \r\n"
        + "=cmd|' /C calc'!A0,@x\r\nGröße,日本 👩‍👩‍👧\r\n\"\"\"\",\",\"\r\n"

    @Test func `the writer writes what Python's csv module writes`() {
        #expect(Self.rows.map(CSVWriter.line).joined() == Self.fromPython)
    }

    @Test func `the reader reads what Python's csv module wrote`() throws {
        #expect(try CSVReader.read(Self.fromPython).records.map(\.fields) == Self.rows)
    }

    @Test func `a single empty field is quoted, because a line must not be empty`() throws {
        #expect(CSVWriter.line([""]) == "\"\"\r\n")
        #expect(try CSVReader.read("\"\"\r\n").records.map(\.fields) == [[""]])
    }

    @Test func `records know the line they start on`() throws {
        let records = try CSVReader.read(Self.fromPython).records
        #expect(records.map(\.line) == [1, 2, 3, 4, 7, 8, 9, 10])
    }

    @Test func `line feeds alone end lines too`() throws {
        #expect(try CSVReader.read("a,b\n1,2\n").records.map(\.fields) == [["a", "b"], ["1", "2"]])
    }

    @Test func `the last line needs no line break`() throws {
        #expect(try CSVReader.read("a,b\r\n1,").records.map(\.fields) == [["a", "b"], ["1", ""]])
    }

    @Test func `a byte order mark is not part of the first field`() throws {
        #expect(try CSVReader.read([0xEF, 0xBB, 0xBF, 0x61]).records.map(\.fields) == [["a"]])
    }

    @Test(arguments: [
        ("a,b\r\nx\"y,1\r\n", 2, "a quote inside a field that does not start with one"),
        ("a,b\r\n\"x\"y,1\r\n", 2, "text after the closing quote of a field"),
        ("a\r\nb\rc\r\n", 2, "a carriage return without a line feed"),
        ("a\r\nb\r", 2, "a carriage return without a line feed"),
        ("a\r\n\r\n\"b\nc", 3, "a quoted field that never ends"),
    ])
    func `invalid CSV is an error with its line`(text: String, line: Int, problem: String) {
        #expect(throws: CSVError(line: line, problem: problem)) { try CSVReader.read(text) }
    }

    @Test func `bytes that are not UTF-8 are an error`() {
        #expect(throws: CSVError(line: 2, problem: "bytes that are not UTF-8")) {
            try CSVReader.read([0x61, 0x0A, 0xFF, 0x0A])
        }
    }

    @Test func `a text truncated anywhere loses only its unfinished line, when truncation is allowed`() throws {
        let rows = Self.rows.filter { !$0.contains { $0.utf8.contains(UInt8(ascii: "\n")) } }
        let bytes = Array(rows.map(CSVWriter.line).joined().utf8)
        let whole = try CSVReader.read(bytes).records
        // The end of each record, computed by writing the records one after the other.
        var ends: [Int] = [0]
        for row in rows { ends.append(ends[ends.count - 1] + CSVWriter.line(row).utf8.count) }
        for cut in 0...bytes.count {
            let contents = try CSVReader.read(Array(bytes[..<cut]), ending: .torn)
            let finished = ends.filter { $0 <= cut }.count - 1
            #expect(contents.records == Array(whole[..<finished]), "cut at \(cut)")
            #expect(contents.isTorn == !ends.contains(cut), "cut at \(cut)")
        }
    }

    @Test func `a stray quote can't pass half a file off as a truncated line`() {
        for text in ["a\r\n\"b\r\nc\r\n", "a\r\n\"" + String(repeating: "b", count: 70_000)] {
            #expect(throws: CSVError(line: 2, problem: "a line that never ends; is there a quote too many?")) {
                try CSVReader.read(text, ending: .torn)
            }
        }
    }

    @Test func `random fields survive a round trip`() throws {
        let seed: UInt64 = 7
        var random = Lehmer(state: seed)
        let alphabet: [String] = ["a", "\"", ",", "\r", "\n", "\r\n", " ", "é", "日", "\u{0}", "=", "👩‍👩‍👧", "\u{301}"]
        for _ in 0..<500 {
            let rows = (0..<4).map { _ in
                (0..<3).map { _ in (0..<Int(random.next() % 6)).map { _ in random.pick(alphabet) }.joined() }
            }
            let text = rows.map(CSVWriter.line).joined()
            let read = try CSVReader.read(text).records.map(\.fields)
            #expect(read.map { $0.map { Array($0.utf8) } } == rows.map { $0.map { Array($0.utf8) } }, "seed \(seed)")
        }
    }
}

/// A small generator whose sequence never changes.
struct Lehmer {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state >> 33
    }

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int(next() % UInt64(elements.count))]
    }
}
