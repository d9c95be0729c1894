/// A scrolling list: the work that a phase gives the main thread at a display's frame rate.
///
/// Rows come into view as the list scrolls, and each row shows the value of one key. The position of the list follows
/// from the script and the time alone. A main thread that falls behind therefore has more rows to fill in its next
/// frame.
package struct Frames: HasDefaults, Codable, Hashable, Sendable {
    /// The display's rate, in frames per second.
    package var rate = 60
    /// How long the cache may hold the main thread in one frame, in nanoseconds.
    package var budget: UInt64 = 4_000_000
    /// How many rows are visible.
    package var cells = 12
    /// How many threads load for a synchronous strategy.
    package var loaders = 4
    /// The steps of the scroll, in order.
    package var scroll = NamedScroll.allCases.map(\.step)

    package static var defaults: Self { Self() }

    /// The time from one frame to the next, in nanoseconds.
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

    /// How many rows the list has. The direction changes only between two steps, so the lowest position is at the end
    /// of a step. O(steps²).
    package var rowCount: Int {
        var end: UInt64 = 0
        var lowest = 0
        for step in scroll {
            end &+= step.nanoseconds
            lowest = max(lowest, topRow(at: end))
        }
        return lowest + cells
    }

    /// The same list with each step cut to a maximum length, in nanoseconds.
    package func cut(to nanoseconds: UInt64) -> Frames {
        with { cut in
            for index in scroll.indices { cut.scroll[index].nanoseconds = min(nanoseconds, scroll[index].nanoseconds) }
        }
    }
}

/// A stretch of a scroll at one speed.
package struct ScrollStep: HasDefaults, Codable, Hashable, Sendable {
    /// The step's name, or its speed as written in the file; rows show it.
    package var name = ""
    /// Positive scrolls down, negative scrolls up.
    package var rowsPerSecond = 0.0
    /// The duration of the step in nanoseconds.
    package var nanoseconds: UInt64 = 0

    package static var defaults: Self { Self() }
}

/// The steps that a script can name.
package enum NamedScroll: String, CaseIterable, Codable, Hashable, Sendable {
    case still, slow, fling, back

    /// The step that the name means.
    package var step: ScrollStep {
        switch self {
        case .still: ScrollStep(name: rawValue, rowsPerSecond: 0, nanoseconds: 500_000_000)
        case .slow: ScrollStep(name: rawValue, rowsPerSecond: 20, nanoseconds: 1_000_000_000)
        case .fling: ScrollStep(name: rawValue, rowsPerSecond: 200, nanoseconds: 750_000_000)
        case .back: ScrollStep(name: rawValue, rowsPerSecond: -200, nanoseconds: 750_000_000)
        }
    }
}
