import Reports
import Testing
import TrialModel

@Suite(.timeLimit(.minutes(1))) struct TableTests {
    let table = Table(
        title: "steady", caption: "How to read it.",
        of: [
            ("lru", TableCell("1.23 µs", value: .integer(1_230)), "a|b"),
            ("日本", TableCell("45.6 ms", value: .number(45_600_000.5, places: 1)), nil),
        ],
        [
            TableColumn("strategy") { .text($0.0) }, TableColumn("p99", name: "p99_ns", .right) { $0.1 },
            TableColumn("note") { .text($0.2) },
        ], notes: ["lru did well"])

    private func single(_ text: String) -> Table { Table(of: [text], [TableColumn("c") { .text($0) }]) }

    @Test func `a table for a terminal is aligned by the width of characters on the screen`() {
        #expect(
            table.rendered(as: .table) == """
                steady
                How to read it.
                strategy      p99  note
                ────────  ───────  ────
                lru       1.23 µs  a|b
                日本      45.6 ms
                lru did well

                """)
    }

    @Test func `text is wrapped when the terminal is narrow, numbers are not`() {
        let narrow = Table(
            of: [1_000_000],
            [
                TableColumn("name") { _ in .text("count") }, TableColumn("n", .right) { .integer($0) },
                TableColumn("meaning") { _ in .text("How many operations the row holds.") },
            ])
        #expect(
            narrow.rendered(as: .table, width: 30) == """
                name         n  meaning
                ─────  ───────  ──────────────
                count  1000000  How many
                                operations the
                                row holds.

                """)
    }

    @Test func `a terminal too narrow for the numbers gets them nevertheless`() {
        let narrow = Table(
            of: ["lru"],
            [TableColumn("strategy") { .text($0) }, TableColumn("count", .right) { _ in .integer(123_456_789) }])
        #expect(narrow.rendered(as: .table, width: 5).contains("lru       123456789\n"))
    }

    @Test func `a table in Markdown escapes what would break it`() {
        #expect(
            table.rendered(as: .markdown) == """
                ### steady

                How to read it.

                | strategy | p99 | note |
                | --- | ---: | --- |
                | lru | 1.23 µs | a\\|b |
                | 日本 | 45.6 ms |  |

                lru did well

                """)
    }

    @Test func `a cell adds no markup to Markdown`() {
        let cell = "<b>\\*x*\n[y](z) ~w~ & `code`"
        let markdown = single(cell).rendered(as: .markdown)
        #expect(
            markdown
                == "| c |\n| --- |\n| &lt;b&gt;\\\\\\*x\\*<br>\\[y\\](z) \\~w\\~ &amp; `code` |\n")
    }

    @Test func `CSV holds the values, not the texts`() {
        #expect(table.rendered(as: .csv) == "strategy,p99_ns,note\r\nlru,1230,a|b\r\n日本,45600000.5,\r\n")
    }

    @Test func `JSON holds the values, and null for missing measurements`() {
        #expect(
            table.rendered(as: .json) == """
                [
                  {
                    "note" : "a|b",
                    "p99_ns" : 1230,
                    "strategy" : "lru"
                  },
                  {
                    "note" : null,
                    "p99_ns" : 45600000.5,
                    "strategy" : "日本"
                  }
                ]

                """)
    }

    @Test func `several tables become one for programs, with the title in front`() {
        let other = Table(
            title: "scan", of: ["a"], [TableColumn("strategy") { .text($0) }, TableColumn("x") { _ in .empty }])
        #expect(
            [table, other].rendered(as: .csv)
                == "table,strategy,p99_ns,note,x\r\nsteady,lru,1230,a|b,\r\nsteady,日本,45600000.5,,\r\nscan,a,,,\r\n")
    }

    @Test func `a number that is not finite is null in JSON and empty in CSV`() {
        let odd = Table(
            of: [Double.nan], [TableColumn("x") { .number($0, places: 1) { _ in "?" } }])
        #expect(odd.rendered(as: .json) == "[\n  {\n    \"x\" : null\n  }\n]\n")
        #expect(odd.rendered(as: .csv) == "x\r\n\"\"\r\n")
    }

    @Test func `a cell can't send commands to the terminal`() {
        let hostile = single("a\u{1B}[2Jb\nc\u{202E}d")
        #expect(hostile.rendered(as: .table) == "c\n───────────────────────\na\\u{1B}[2Jb\\nc\\u{202E}d\n")
    }
}
