import Foundation
import Testing

/// The figures of README and pages are those of the reference results.
@Suite(.timeLimit(.minutes(1)))
struct FigureTests {
    private static let source = [
        "# A run", "", "## one", "", "text", "", "| rank | strategy | hits |", "| ---: | --- | ---: |",
        "| 1 | lru | 30% |", "| 2 | none | 0% |", "", "## two", "", "```", "$ command", "```", "",
    ]

    private static let data = [
        "table,strategy,hits,note,open", #"one,lru,30%,"a, ""b""","#, "one,none,0%,,", "two,lru,31%,,4 ms",
    ]

    private static func filled(_ lines: [String]) throws -> [String] {
        try Figures { ["run.md": source, "run.csv": data, "ragged.csv": ["a,b", "1"]][$0] }.filled(lines)
    }

    /// `UPDATE_FIGURES=1` writes them; see `scripts/reference --figures`.
    @Test(arguments: MarkdownTests.documents) func `every figure is as the results have it`(
        document: SourceFile
    ) throws {
        let filled = try Figures { SourceFile(path: $0)?.lines }.filled(document.lines)
        if ProcessInfo.processInfo.environment["UPDATE_FIGURES"] != nil, filled != document.lines {
            let file = SourceFile.root.appending(path: document.path)
            try Data(filled.joined(separator: "\n").utf8).write(to: file)
        } else {
            let differences = filled.difference(from: document.lines)
            #expect(differences.isEmpty, "scripts/reference --figures fills \(document.path) from the results")
        }
    }

    @Test func `the README has figures that are filled in`() throws {
        let readme = try #require(SourceFile(path: "README.md"))
        #expect(readme.lines.count { $0.contains("<!-- table:") || $0.contains("<!-- figure:") } >= 3)
    }

    @Test func `a table is filled with the columns and rows that are named`() throws {
        let comment = #"<!-- table: run.md "one" | strategy, hits | none, lru -->"#
        let table = ["| strategy | hits |", "| --- | ---: |", "| none | 0% |", "| lru | 30% |"]
        #expect(try Self.filled([comment, "", "text"]) == [comment] + table + ["", "text"])
        let old = ["| strategy | hits |", "| --- | ---: |", "| lru | 29% |"]
        #expect(try Self.filled([comment] + old + ["text"]) == [comment] + table + ["text"])
        let all = try Self.filled([#"<!-- table: run.md "one" | * | * -->"#])
        #expect(all.dropFirst() == Self.source[6...9])
    }

    @Test func `a file of data has the rows of several tables, each with its own columns`() throws {
        let all = try Self.filled([#"<!-- table: run.csv "one" | * | * -->"#])
        let table = [
            "| strategy | hits | note |", "| --- | ---: | --- |", #"| lru | 30% | a, "b" |"#, "| none | 0% |  |",
        ]
        #expect(all.dropFirst() == table[...])
        let open = #"<!-- figure: run.csv "two" | open | lru -->"#
        #expect(try Self.filled([open + "5 ms<!-- end -->"]) == [open + "4 ms<!-- end -->"])
        let any = "<!-- figure: run.csv | hits | none -->"
        #expect(try Self.filled([any + "<!-- end -->"]) == [any + "0%<!-- end -->"])
    }

    @Test func `a figure in a sentence is one cell`() throws {
        let start = #"LRU hits <!-- figure: run.md "one" | hits | lru -->"#
        #expect(try Self.filled([start + "29%<!-- end --> of the time"]) == [start + "30%<!-- end --> of the time"])
    }

    @Test func `a block of code is copied whole`() throws {
        let comment = #"<!-- code: run.md "two" -->"#
        let expected = [comment, "```", "$ command", "```", "text"]
        #expect(try Self.filled([comment, "```sh", "old", "older", "```", "text"]) == expected)
        #expect(try Self.filled([comment, "text"]) == expected)
    }

    @Test(arguments: [
        (#"<!-- table: no.md "one" | * | * -->"#, "no.md: there is no such file"),
        (#"<!-- table: run.md "three" | * | * -->"#, #"run.md: there is no heading "three""#),
        (#"<!-- table: run.md "two" | * | * -->"#, #"run.md: there is no table under "two""#),
        (#"<!-- table: run.md "one" | p50 | * -->"#, #"there is no column "p50" among ["rank", "strategy", "hits"]"#),
        (#"<!-- table: run.md "one" | * | fifo -->"#, #"there is no row "fifo" among ["lru", "none"]"#),
        (#"<!-- table: run.csv "three" | * | * -->"#, #"run.csv: there is no table "three""#),
        (
            #"<!-- table: run.csv "one" | open | * -->"#,
            #"there is no column "open" among ["strategy", "hits", "note"]"#
        ),
        ("<!-- table: ragged.csv | * | * -->", "ragged.csv has rows of different lengths, or none"),
        ("<!-- table: run.md | * | * -->", "run.md: a heading is missing"),
        (#"<!-- code: run.md "one" -->"#, #"run.md: there is no block of code under "one""#),
    ]) func `a comment that can't be followed says why`(comment: String, message: String) {
        let failure = #expect(throws: Figures.Failure.self) { try Self.filled([comment]) }
        #expect(failure?.description == message)
    }
}
