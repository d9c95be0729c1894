import TrialModel

/// A counterexample as a timeline in text.
///
/// ```
/// version 5 of key 17 was found again after it had been removed
///
/// client 1  ├───1────┤                          ├───3────┤
/// client 2                    ├───2────┤
///
/// 1  client 1  write 17 version 5      0 ns to 210 ns
/// 2  client 2  remove 17             300 ns to 600 ns
/// 3  client 1  read 17 → version 5  1.25 µs to 1.31 µs
/// ```
///
/// Bars show the order of all moments and are not to scale: an operation of 100 ns is drawn next to one of 20 ms.
/// Equal moments share a column. An arrow marks an operation that never returned.
package struct CounterexampleDrawing: Sendable {
    /// The maximum line width, in columns, unless a smaller width is requested.
    package static let widthMax = 100

    /// The most lines of a finding that are shown; all of them are in a file.
    package static let linesMax = 12

    private let example: Counterexample
    private let width: Int

    /// - Parameter width: the maximum line width, in columns; at least 40.
    package init(_ example: Counterexample, width: Int = widthMax) {
        self.example = example
        self.width = max(width, 40)
    }

    /// The summary, the details, the bars and their legend. No line is longer than the width.
    package var lines: [String] {
        let text = ([example.summary] + example.details).flatMap { DisplayWidth.wrapped($0, to: width) }
        guard !example.events.isEmpty else { return text }
        return text + [""] + barLines + [""] + legend
    }

    /// Lines as they are shown: as many as there is room for, and where the others are.
    ///
    /// - Parameters:
    ///   - used: how many lines of the finding are shown before them.
    ///   - place: where all lines are.
    package static func shown(_ lines: [String], after used: Int = 0, allIn place: String) -> [String] {
        let room = max(linesMax - used, 2)
        guard lines.count > room else { return lines }
        let first = lines.prefix(room - 1).reversed().drop { $0.isEmpty }.reversed()
        return first + ["… \(lines.count - first.count) more lines in \(place)"]
    }

    /// Everything in one line, for a cell of a table.
    package var line: String {
        let text = ([example.summary] + example.details).joined(separator: "; ")
        guard !example.events.isEmpty else { return text }
        let events = example.events.map { event in
            "\(event.caller) \(event.what) (\(Self.span(event)))"
        }
        return "\(text): \(events.joined(separator: "; "))"
    }

    private var legend: [String] {
        let numberWidth = String(example.events.count).count
        let callerWidth = example.events.map(\.caller.count).max() ?? 0
        let whatWidth = example.events.map(\.what.count).max() ?? 0
        let startWidth = example.events.map { Self.time($0.call).count }.max() ?? 0
        return example.events.enumerated().map { index, event in
            let number = DisplayWidth.padded(String(index + 1), to: numberWidth)
            let what =
                DisplayWidth.padded(event.caller, to: callerWidth) + "  "
                + DisplayWidth.padded(event.what, to: whatWidth)
            return DisplayWidth.cut("\(number)  \(what)  \(Self.span(event, startWidth: startWidth))", to: width)
        }
    }
}

extension CounterexampleDrawing {
    /// One lane for each caller, or more where events of one caller overlap, such as requests at the origin.
    private var barLines: [String] {
        let columns = EventColumns(example.events)
        let lanes = lanes(columns)
        let nameWidth = min(lanes.map(\.caller.count).max() ?? 0, width / 3)
        let room = width - nameWidth - 2
        // Wide enough for a number between two moments, narrow enough for the line.
        let step = max(1, min(9, (room - 1) / max(1, columns.count - 1)))
        var lines: [String] = []
        for lane in lanes {
            var cells = Array(repeating: Character(" "), count: min(room, (columns.count - 1) * step + 1))
            for number in lane.events {
                draw(number, from: columns.starts[number] * step, to: columns.ends[number] * step, into: &cells)
            }
            var line = DisplayWidth.padded(String(lane.caller.prefix(nameWidth)), to: nameWidth) + "  " + String(cells)
            while line.last == " " { line.removeLast() }
            lines.append(line)
        }
        return lines
    }

    private func draw(_ number: Int, from start: Int, to end: Int, into cells: inout [Character]) {
        let start = min(start, cells.count - 1)
        let end = min(end, cells.count - 1)
        for column in start...max(start, end) { cells[column] = "─" }
        // Where an operation ends at the moment at which the caller's next one begins, they share a column.
        let isTouching = start > 0 && cells[start - 1] == "─"
        cells[start] = isTouching ? "┼" : "├"
        cells[max(start, end)] = example.events[number].answer == OperationRecord.never ? "▶" : "┤"
        let label = Array(String(number + 1))
        let first = (start + end - label.count + 1) / 2
        guard first > start, first + label.count <= end else { return }
        for (offset, character) in label.enumerated() { cells[first + offset] = character }
    }

    private func lanes(_ columns: EventColumns) -> [(caller: String, events: [Int])] {
        var lanes: [(caller: String, events: [Int])] = []
        for (number, event) in example.events.enumerated() {
            let free = lanes.firstIndex { lane in
                lane.caller == event.caller
                    && lane.events.allSatisfy { columns.ends[$0] <= columns.starts[number] }
            }
            if let free { lanes[free].events.append(number) } else { lanes.append((event.caller, [number])) }
        }
        // The lanes of a caller are adjacent, in the order in which callers appear.
        return lanes.grouped(by: \.caller).flatMap(\.elements)
    }
}

extension CounterexampleDrawing {
    /// A time in the unit that suits its size, with two decimals.
    static func time(_ nanoseconds: UInt64) -> String {
        switch nanoseconds {
        case OperationRecord.never: "never"
        case ..<1_000: "\(nanoseconds) ns"
        case ..<1_000_000: hundredths(nanoseconds, of: 1_000) + " µs"
        case ..<1_000_000_000: hundredths(nanoseconds, of: 1_000_000) + " ms"
        default: hundredths(nanoseconds, of: 1_000_000_000) + " s"
        }
    }

    /// Rounded down, so that an event that is drawn earlier never has a later time.
    private static func hundredths(_ nanoseconds: UInt64, of unit: UInt64) -> String {
        DecimalText.fixed(nanoseconds / (unit / 100), of: 100, places: 2)
    }

    private static func span(_ event: Counterexample.Event, startWidth: Int = 0) -> String {
        "\(DisplayWidth.padded(time(event.call), to: startWidth, .right)) to \(time(event.answer))"
    }
}

/// The column of each moment of some events: their order, without their distances.
private struct EventColumns {
    let starts: [Int]
    let ends: [Int]
    let count: Int

    /// A moment; the end of an instantaneous event comes just after its start.
    private struct Moment: Comparable {
        var time: UInt64
        var isEndOfInstant: Bool

        static func < (one: Moment, other: Moment) -> Bool {
            (one.time, one.isEndOfInstant ? 1 : 0) < (other.time, other.isEndOfInstant ? 1 : 0)
        }
    }

    init(_ events: [Counterexample.Event]) {
        let begins = events.map { Moment(time: $0.call, isEndOfInstant: false) }
        let finishes = events.map { Moment(time: $0.answer, isEndOfInstant: $0.call == $0.answer) }
        let all = (begins + finishes).sorted()
        var moments: [Moment] = []
        for moment in all where moments.last != moment { moments.append(moment) }
        let distinct = moments
        starts = begins.map { distinct.firstIndex(of: $0) ?? 0 }
        ends = finishes.map { distinct.firstIndex(of: $0) ?? 0 }
        count = distinct.count
    }
}
