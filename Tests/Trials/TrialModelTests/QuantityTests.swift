import Testing
import TrialModel

@Suite(.timeLimit(.minutes(1))) struct QuantityTests {
    @Test(
        arguments: [
            (0, "0 ns"), (999, "999 ns"), (1_000, "1.00 µs"), (9_994, "9.99 µs"), (9_996, "10.0 µs"),
            (99_960, "100 µs"),
            (999_499, "999 µs"), (999_500, "1.00 ms"), (45_600_000, "45.6 ms"), (999_500_000, "1.00 s"),
            (7_890_000_000, "7.89 s"), (119_000_000_000, "119 s"), (185_000_000_000, "3 min 05 s"),
            (UInt64.max, "5124095 h 34 min"),
        ] as [(UInt64, String)])
    func `a time has three digits and its unit`(nanoseconds: UInt64, text: String) {
        #expect(Quantity.duration(nanoseconds: nanoseconds) == text)
    }

    @Test(
        arguments: [
            ("60 ns", 60, 1.2, "60 ns ±2"), ("70.7%", 0.707, 0.0021, "70.7% ±0.3"),
            ("7.20 µs", 7_200, 400, "7.20 µs ±0.40"),
            ("99.1 µs", 99_100, 8_123, "99.1 µs ±8.2"), ("1.23 ms", 1_230_000, 420_000, "1.23 ms ±0.42"),
            ("227k/s", 227_000, 12_100, "227k/s ±13k"), ("3.17 µs", 3_170, 70_290, "3.17 µs ±>100%"),
            ("6.3%", 0.0625, 0, "6.3%"), ("<0.1%", 0.0001, 0.00001, "<0.1% ±0.1"), ("0.0", 0, 0, "0.0"),
            // A median of 0 among other figures is no agreement.
            ("0.0%", 0, 0.1, "0.0% ±>100%"), ("0.0", 0, 927, "0.0 ±>100%"), ("0.0", 0.04, 0.02, "0.0 ±>100%"),
            ("5.0", 5, .infinity, "5.0 ±>100%"), ("5.0", 5, .nan, "5.0 ±>100%"), ("", .infinity, 1, ""),
        ] as [(String, Double, Double, String)])
    func `the reach of an interval is in the unit of its figure`(
        figure: String, value: Double, reach: Double, text: String
    ) {
        #expect(Quantity.text(figure, value, reach: reach) == text)
    }

    @Test func `a range names its unit once where possible`() {
        #expect(Quantity.durations(1_200_000...4_560_000) == "1.20–4.56 ms")
        #expect(Quantity.durations(950...1_230) == "950 ns–1.23 µs")
    }

    @Test(
        arguments: [
            (0, "0 s"), (59, "59 s"), (60, "1 min 00 s"), (3_599, "59 min 59 s"), (3_600, "1 h 00 min"),
            (7_620, "2 h 07 min"),
        ] as [(UInt64, String)])
    func `a long time has its two largest units`(seconds: UInt64, text: String) {
        #expect(Quantity.span(seconds: seconds) == text)
    }

    @Test(
        arguments: [
            (0, "0 B"), (1_023, "1023 B"), (1_536, "1.50 KiB"), (67_108_864, "64.0 MiB"), (1_073_741_823, "1.00 GiB"),
            (1 << 50, "1024 TiB"),
        ] as [(UInt64, String)])
    func `a size has its unit`(count: UInt64, text: String) {
        #expect(Quantity.bytes(count) == text)
    }

    @Test(
        arguments: [
            (0, "0"), (999, "999"), (1_000, "1.00k"), (12_345, "12.3k"), (999_499, "999k"), (999_500, "1.00M"),
            (2_500_000_000, "2.50G"),
        ] as [(UInt64, String)])
    func `a count has three digits`(count: UInt64, text: String) {
        #expect(Quantity.count(count) == text)
    }

    @Test(
        arguments: [
            (0, "0.00"), (0.25, "0.25"), (99.94, "99.9"), (99.96, "100"), (12_345.6, "12.3k"), (.nan, ""), (-1, ""),
        ] as [(Double, String)])
    func `a small rate has decimals`(rate: Double, text: String) {
        #expect(Quantity.rate(rate) == text)
    }

    @Test(
        arguments: [
            (0, "0.0%"), (0.0001, "<0.1%"), (0.0005, "0.1%"), (0.1234, "12.3%"), (0.9994, "99.9%"), (0.9999, ">99.9%"),
            (1, "100.0%"), (1.5, "150.0%"),
        ] as [(Double, String)])
    func `a ratio is never rounded to 0 or 100 per cent`(ratio: Double, text: String) {
        #expect(Quantity.percent(ratio) == text)
    }
}

@Suite(.timeLimit(.minutes(1))) struct GroupingTests {
    @Test func `groups and distinct elements are in the order of their first appearance`() {
        #expect([3, 1, 3, 2, 1].distinct == [3, 1, 2])
        let groups = ["b1", "a1", "b2"].grouped { $0.prefix(1) }
        #expect(groups.map(\.key) == ["b", "a"] && groups.map(\.elements) == [["b1", "b2"], ["a1"]])
    }
}

@Suite(.timeLimit(.minutes(1))) struct DisplayWidthTests {
    @Test(arguments: [
        ("", 0), ("abc", 3), ("µs", 2), ("日本", 4), ("한국", 4), ("ｗｉｄｅ", 8), ("e\u{301}", 1), ("👩‍👩‍👧", 2), ("✔", 1),
        ("✔️", 2), ("🚀", 2), ("–…─", 3), ("\u{200B}", 0),
    ])
    func `a text takes as many columns as a terminal gives it`(text: String, width: Int) {
        #expect(DisplayWidth.of(text) == width)
    }

    @Test func `a text is cut with an ellipsis, never through a wide character`() {
        #expect(DisplayWidth.cut("steady", to: 6) == "steady")
        #expect(DisplayWidth.cut("steady", to: 4) == "ste…")
        #expect(DisplayWidth.cut("日本語", to: 5) == "日本…")
        #expect(DisplayWidth.cut("日本語", to: 4) == "日…")
        #expect(DisplayWidth.cut("x", to: 0) == "")
    }

    @Test func `words are wrapped, and a long word is broken`() {
        #expect(DisplayWidth.wrapped("one two three", to: 8) == ["one two", "three"])
        #expect(DisplayWidth.wrapped("abcdefghij kl", to: 4) == ["abcd", "efgh", "ij", "kl"])
        #expect(DisplayWidth.wrapped("日本語", to: 3) == ["日", "本", "語"])
    }
}
