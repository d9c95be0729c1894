import Foundation
import Testing
import TrialModel

@testable import HistoryChecking

@Suite(.timeLimit(.minutes(1)))
struct CounterexampleDrawingTests {
    private func event(_ caller: String, _ what: String, _ call: UInt64, _ answer: UInt64) -> Counterexample.Event {
        Counterexample.Event(caller: caller, what: what, call: call, answer: answer)
    }

    private var example: Counterexample {
        Counterexample(
            summary: "version 5 of key 17 was found again after it had been removed",
            events: [
                event("client 1", "write 17 version 5", 0, 210),
                event("client 2", "remove 17", 300, 600),
                event("client 1", "read 17 → version 5", 1_250, 3_000_000),
            ])
    }

    @Test func `an example is a lane for each caller and a line for each event`() {
        #expect(
            CounterexampleDrawing(example).lines == [
                "version 5 of key 17 was found again after it had been removed",
                "",
                "client 1  ├───1────┤                          ├───3────┤",
                "client 2                    ├───2────┤",
                "",
                "1  client 1  write 17 version 5      0 ns to 210 ns",
                "2  client 2  remove 17             300 ns to 600 ns",
                "3  client 1  read 17 → version 5  1.25 µs to 3.00 ms",
            ])
    }

    @Test func `an example in one line has the same content`() {
        #expect(
            CounterexampleDrawing(example).line
                == "version 5 of key 17 was found again after it had been removed: client 1 write 17 version 5 "
                + "(0 ns to 210 ns); client 2 remove 17 (300 ns to 600 ns); "
                + "client 1 read 17 → version 5 (1.25 µs to 3.00 ms)")
    }

    @Test func `overlapping requests have a lane each`() {
        let example = Counterexample(
            summary: "two requests", events: [event("origin", "a", 0, 10), event("origin", "b", 5, 20)])
        #expect(
            CounterexampleDrawing(example).lines[2...3] == [
                "origin  ├────────1────────┤", "origin           ├────────2────────┤",
            ])
    }

    @Test func `operations that touch share a column`() {
        let example = Counterexample(
            summary: "touch", events: [event("client 1", "a", 0, 10), event("client 1", "b", 10, 20)])
        #expect(CounterexampleDrawing(example).lines[2] == "client 1  ├───1────┼───2────┤")
    }

    @Test func `an operation that never returned ends in an arrow`() {
        let example = Counterexample(
            summary: "lost", events: [event("client 1", "load 1 → no answer", 0, OperationRecord.never)])
        #expect(CounterexampleDrawing(example).lines[2] == "client 1  ├───1────▶")
        #expect(CounterexampleDrawing(example).line == "lost: client 1 load 1 → no answer (0 ns to never)")
    }

    @Test(arguments: [40, 60, 100]) func `no line is wider than requested`(width: Int) {
        let events = (0..<8).map { number in
            event("client \(number) with a long name", "load 123456 → fetched version 1099511627777", number * 3, 50)
        }
        let summary = String(repeating: "words that go on ", count: 12)
        let lines = CounterexampleDrawing(Counterexample(summary: summary, events: events), width: width).lines
        #expect(lines.filter { $0.count > width } == [])
        #expect(lines.count > 18)
    }

    @Test func `an example without events is its reason`() {
        let drawing = CounterexampleDrawing(Counterexample(summary: "no load failed", events: []))
        #expect(drawing.lines == ["no load failed"])
        #expect(drawing.line == "no load failed")
    }

    @Test(
        arguments: [
            (0, "0 ns"), (999, "999 ns"), (1_000, "1.00 µs"), (999_999, "999.99 µs"), (12_345_678, "12.34 ms"),
            (1_050_000_000, "1.05 s"), (UInt64.max - 1, "18446744073.70 s"),
        ] as [(UInt64, String)])
    func `times are in readable units`(nanoseconds: UInt64, text: String) {
        #expect(CounterexampleDrawing.time(nanoseconds) == text)
    }
}

extension CounterexampleDrawingTests {
    private func event(_ caller: String, _ what: String, _ call: Int, _ answer: UInt64) -> Counterexample.Event {
        event(caller, what, UInt64(call), answer)
    }

    @Test func `further findings are a line each, and are in the one line as well`() {
        let drawing = CounterexampleDrawing(Counterexample(summary: "one", details: ["two", "three"]))
        #expect(drawing.lines == ["one", "two", "three"])
        #expect(drawing.line == "one; two; three")
    }

    @Test func `an example of older results is read`() throws {
        let text = #"{"events":[],"summary":"one"}"#
        let example = try JSONDecoder().decode(Counterexample.self, from: Data(text.utf8))
        #expect(example == Counterexample(summary: "one"))
    }
}
