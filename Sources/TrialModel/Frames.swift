/// A list that scrolls: what a phase asks of the main thread at a display's rate.
///
/// Row after row comes into view as the list scrolls, and each shows the value of one key. Where the list is at a time
/// follows from the script alone, so that a main thread that falls behind has more rows to fill in its next frame.
package struct Frames: Codable, Hashable, Sendable {
    /// The display's rate, in frames a second.
    package var rate: Int
    /// What of a frame the cache may hold the main thread for, in nanoseconds.
    package var budget: UInt64
    /// How many rows are visible.
    package var cells: Int
    /// How many threads load for a synchronous strategy.
    package var loaders: Int
    /// How the list scrolls, one step after the other.
    package var scroll: [ScrollStep]

    package init(rate: Int, budget: UInt64, cells: Int, loaders: Int, scroll: [ScrollStep]) {
        self.rate = rate
        self.budget = budget
        self.cells = cells
        self.loaders = loaders
        self.scroll = scroll
    }

    /// From one frame to the next, in nanoseconds.
    package var period: UInt64 { 1_000_000_000 / UInt64(max(rate, 1)) }

    /// How long the script takes, in nanoseconds.
    package var nanoseconds: UInt64 { scroll.reduce(0) { $0 &+ $1.nanoseconds } }

    /// How many frames are due.
    package var frameCount: Int { Int(clamping: nanoseconds / period) }

    /// The first visible row at a time after the start, in nanoseconds. The list stops at its top. O(steps).
    package func topRow(at time: UInt64) -> Int {
        var row = 0.0
        var left = time
        for step in scroll {
            let part = min(left, step.nanoseconds)
            row = max(0, row + step.rowsPerSecond * Double(part) / 1e9)
            left -= part
        }
        return Int(row)
    }

    /// The step at a time after the start; the last one at the end. O(steps).
    package func step(at time: UInt64) -> ScrollStep? {
        var left = time
        for step in scroll {
            if left < step.nanoseconds { return step }
            left -= step.nanoseconds
        }
        return scroll.last
    }

    /// How many rows the list has: it turns between two steps, so that its lowest place is at the end of one. O(steps²).
    package var rowCount: Int {
        var end: UInt64 = 0
        var lowest = 0
        for step in scroll {
            end &+= step.nanoseconds
            lowest = max(lowest, topRow(at: end))
        }
        return lowest + cells
    }

    /// The same list with no step longer than a time, in nanoseconds.
    package func cut(to nanoseconds: UInt64) -> Frames {
        var cut = self
        for index in cut.scroll.indices { cut.scroll[index].nanoseconds = min(nanoseconds, scroll[index].nanoseconds) }
        return cut
    }
}

/// A stretch of a scroll at one speed.
package struct ScrollStep: Codable, Hashable, Sendable {
    /// Its name, or its speed as the file has it; stands in rows.
    package var name: String
    /// Downwards above zero, upwards below.
    package var rowsPerSecond: Double
    /// How long it takes.
    package var nanoseconds: UInt64

    package init(name: String, rowsPerSecond: Double, nanoseconds: UInt64) {
        self.name = name
        self.rowsPerSecond = rowsPerSecond
        self.nanoseconds = nanoseconds
    }
}

/// The steps that a script can name.
package enum NamedScroll: String, CaseIterable, Codable, Hashable, Sendable {
    case still, slow, fling, back

    /// What it does.
    package var step: ScrollStep {
        switch self {
        case .still: ScrollStep(name: rawValue, rowsPerSecond: 0, nanoseconds: 500_000_000)
        case .slow: ScrollStep(name: rawValue, rowsPerSecond: 20, nanoseconds: 1_000_000_000)
        case .fling: ScrollStep(name: rawValue, rowsPerSecond: 200, nanoseconds: 750_000_000)
        case .back: ScrollStep(name: rawValue, rowsPerSecond: -200, nanoseconds: 750_000_000)
        }
    }
}
