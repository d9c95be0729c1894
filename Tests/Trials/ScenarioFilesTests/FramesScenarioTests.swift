import Testing

@testable import ScenarioFiles
@testable import TrialModel

/// Lists that scroll, in scenario files.
@Suite(.timeLimit(.minutes(1)))
struct FramesScenarioTests {
    private func read(_ phase: String) throws -> Scenario { try PhasesInTests.read(phase) }
    private func mistakes(_ phase: String) -> [String] { PhasesInTests.mistakes(phase) }

    @Test func `an empty mapping has all defaults`() throws {
        let phase = try read("{ name: s, frames: {} }").phases[0]
        #expect(
            phase.frames
                == Frames(
                    rate: 60, budget: 4_000_000, cells: 12, loaders: 4, scroll: NamedScroll.allCases.map(\.step)))
        #expect(phase.length == .duration(nanoseconds: 3_000_000_000) && phase.mix == OperationMix([.load: 1]))
    }

    @Test func `speeds are read in rows a frame and in rows a second`() throws {
        let phase = try read(
            "{ name: s, frames: { rate: 120, scroll: [{ speed: -0.5 rows/frame, for: 2 s }, { speed: 90 rows/s, for: 1 s }] } }"
        ).phases[0]
        #expect(phase.frames?.scroll.map(\.rowsPerSecond) == [-60, 90])
        #expect(phase.frames?.scroll.map(\.name) == ["-0.5 rows/frame", "90 rows/s"])
    }

    @Test func `missed frames can be limited`() throws {
        let phase = try read("{ name: s, frames: {}, expect: { missed-frames: 1% } }").phases[0]
        #expect(phase.expectations == [.missedFrames(atMost: 0.01)])
    }

    @Test func `missed frames can't be limited when there are none`() {
        #expect(
            mistakes("{ name: s, operations: 5, mix: { load: 1 }, expect: { missed-frames: 1% } }") == [
                "7:74: phases[0].expect.missed-frames: found missed-frames where there can be none, allowed: only with frames"
            ])
    }

    @Test(arguments: [
        "duration: 1 s", "operations: 5", "clients: 2", "mix: { read: 1 }", "think-time: 1 ms", "burst-width: 3",
        "cancel: { share: 1%, after: 1 ms }", "arrival: { constant: 5 }", "driver: threads",
    ])
    func `frames allow no other keys about what is sent`(other: String) {
        let key = other.prefix { $0 != ":" }
        let found = mistakes("{ name: s, frames: {}, \(other) }")
        #expect(
            found.count == 1 && found[0].contains("phases[0].") && found[0].contains("\(key) together with"), "\(found)"
        )
    }

    @Test(arguments: [
        ("rate: 29", "7:32: phases[0].frames.rate: found 29, allowed: a whole number from 30 to 240"),
        ("cells: 0", "7:33: phases[0].frames.cells: found 0, allowed: a whole number from 1 to 200"),
        (
            "budget: 17 ms",
            "7:34: phases[0].frames.budget: found 17 ms, allowed: less than a frame, which takes 16666 us"
        ),
        (
            "scroll: [still, flng]",
            "7:42: phases[0].frames.scroll[1]: found flng, allowed: still, slow, fling, back, or a mapping with the keys "
                + "speed, for (did you mean fling?)"
        ),
        (
            "scroll: [{ speed: 3, for: 1 s }]",
            "7:44: phases[0].frames.scroll[0].speed: found 3, allowed: a text of 1 to 200 characters (put it in quotes if it is "
                + "meant as text)"
        ),
        (
            "scroll: [{ speed: 3 rows/hour, for: 1 s }]",
            "7:44: phases[0].frames.scroll[0].speed: found 3 rows/hour, allowed: a speed from -10000 to 10000 rows/s or "
                + "rows/frame, such as 3 rows/frame"
        ),
        (
            "scroll: [{ speed: 10000 rows/s, for: 60 s }]",
            "7:34: phases[0].frames.scroll: found 600012 rows, allowed: at most 100000 rows"
        ),
        (
            "scroll: [{ speed: 1 rows/s, for: 10 ms }]",
            "7:34: phases[0].frames.scroll: found 0 frames, allowed: 1 to 200000 frames in all"
        ),
    ])
    func `a mistake has its line and column`(frames: String, expected: String) {
        #expect(mistakes("{ name: s, frames: { \(frames) } }") == [expected])
    }
}
