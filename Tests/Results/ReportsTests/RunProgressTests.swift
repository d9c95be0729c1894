import Foundation
import Testing
import TrialModel

@testable import Reports

@Suite(.timeLimit(.minutes(1))) struct ProgressTextTests {
    let trial = TrialIdentity(scenario: "steady-zipf", strategy: "lru", repetition: 2)

    private func state(done: Int = 3, resumed: Int = 0) -> ProgressState {
        ProgressState(
            total: 48, done: done, resumed: resumed, current: trial, elapsedNanoseconds: 33_000_000_000,
            currentNanoseconds: 3_000_000_000)
    }

    @Test func `the line on a terminal says what is done, what runs and what is left`() {
        #expect(
            ProgressText.terminalLine(state(), width: 100)
                == "3/48 trials · 33 s elapsed · about 7 min 27 s left · steady-zipf lru #2")
    }

    @Test func `trouble is counted`() {
        var state = state()
        state.troubled = 2
        #expect(ProgressText.terminalLine(state, width: 40) == "3/48 trials · 2 with trouble · 33 s ela…")
    }

    @Test func `the time left is unknown before a trial has ended`() {
        #expect(
            ProgressText.terminalLine(state(done: 0), width: 100) == "0/48 trials · 33 s elapsed · steady-zipf lru #2")
    }

    @Test func `trials of an earlier run do not count for the time left`() {
        #expect(state(done: 20, resumed: 20).remainingNanoseconds == nil)
        #expect(state(done: 21, resumed: 20).remainingNanoseconds == 27 * 30_000_000_000 - 3_000_000_000)
    }

    @Test func `a slow trial does not make the time left negative`() {
        let state = ProgressState(
            total: 2, done: 1, elapsedNanoseconds: 60_000_000_000, currentNanoseconds: 59_000_000_000)
        #expect(state.remainingNanoseconds == 0)
    }

    @Test func `a log has a line for the trials of a scenario`() {
        #expect(
            ProgressText.scenarioLine(state(), scenario: "steady-zipf", trials: 3, took: 2_100_000_000)
                == "[3/48] steady-zipf: 3 trials, 2.10 s, about 7 min 27 s left")
        #expect(
            ProgressText.scenarioLine(state(done: 48), scenario: "scan", trials: 1, took: 900_000)
                == "[48/48] scan: 1 trial, 900 µs")
    }

    @Test func `a log reports a long trial`() {
        #expect(ProgressText.heartbeat(state()) == "[3/48] still running: steady-zipf lru #2, 3 s")
    }

    @Test func `a reason can't send commands to the terminal`() {
        #expect(
            ProgressText.troubleLine(trial, verdict: "crashed", reason: "\u{1B}[2J\n")
                == "steady-zipf lru #2: crashed (\\u{1B}[2J\\n)")
    }
}

@Suite(.timeLimit(.minutes(1))) struct RunProgressTests {
    let trial = TrialIdentity(scenario: "steady", strategy: "lru", repetition: 1)
    let output = Output()

    private func progress(_ style: RunProgress.Style, total: Int = 2) -> RunProgress {
        RunProgress(total: total, style: style, now: { [output] in output.time }, write: { [output] in output.add($0) })
    }

    @Test func `a terminal has one line, rewritten, and trouble above it`() {
        let progress = progress(.line(width: 60, color: true))
        progress.begin(trial)
        output.time = 2_000_000_000
        progress.tick()
        progress.end(trial, status: .crashed, reason: "signal 11")
        progress.finish()
        progress.tick()
        #expect(
            output.text
                == "\r0/2 trials · 0 s elapsed · steady lru #1\u{1B}[K"
                + "\r0/2 trials · 2 s elapsed · steady lru #1\u{1B}[K"
                + "\r\u{1B}[K\u{1B}[31msteady lru #1: crashed (signal 11)\u{1B}[0m\n"
                + "\r1/2 trials · 1 with trouble · 2 s elapsed · about 2 s left\u{1B}[K" + "\r\u{1B}[K")
    }

    @Test func `without colours there are none`() {
        let progress = progress(.line(width: 60, color: false))
        progress.end(trial, status: .hung)
        #expect(output.text.contains("\nsteady lru #1: hung\n") || output.text.hasPrefix("steady lru #1: hung\n"))
        #expect(!output.text.contains("[31m"))
    }

    @Test func `a log has a heartbeat after silence only`() {
        let progress = progress(.log(heartbeat: 10))
        progress.begin(trial)
        output.time = 9
        progress.tick()
        output.time = 10
        progress.tick()
        output.time = 19
        progress.tick()
        progress.end(trial, status: .completed)
        output.time = 40
        progress.tick()
        progress.finish()
        #expect(
            output.text == "[0/2] still running: steady lru #1, 0 s\n[1/2] steady: 1 trial, 19 ns, about 0 s left\n")
    }

    @Test func `a log has a line when the scenario changes, and one for trouble at once`() {
        let progress = progress(.log(heartbeat: 1_000_000), total: 3)
        let other = TrialIdentity(scenario: "scan", strategy: "lru", repetition: 1)
        progress.end(trial, status: .completed)
        progress.end(trial, status: .crashed, reason: "signal 11")
        #expect(output.text == "steady lru #1: crashed (signal 11)\n")
        progress.begin(other)
        #expect(output.text.hasSuffix("\n[2/3] steady: 2 trials, 0 ns, about 0 s left\n"))
        progress.end(other, status: .completed)
        progress.finish()
        #expect(output.text.hasSuffix("left\n[3/3] scan: 1 trial, 0 ns\n"))
    }

    @Test func `a log has no lines for trials beyond the plan`() {
        let progress = progress(.log(heartbeat: 1_000_000), total: 1)
        progress.end(trial, status: .completed)
        progress.begin(TrialIdentity(scenario: "scan", strategy: "lru", repetition: 1))
        let text = output.text
        progress.end(TrialIdentity(scenario: "scan", strategy: "lru", repetition: 1), status: .completed)
        progress.finish()
        #expect(text == "[1/1] steady: 1 trial, 0 ns\n" && output.text == text)
    }

    @Test func `quiet means warnings only`() {
        let progress = progress(.quiet)
        progress.begin(trial)
        progress.end(trial, status: .crashed)
        progress.tick()
        progress.note("low on space")
        #expect(output.text == "low on space\n")
    }

    @Test func `a note is above the line`() {
        let progress = progress(.line(width: 60, color: false))
        progress.begin(trial)
        progress.note("careful")
        #expect(
            output.text
                == "\r0/2 trials · 0 s elapsed · steady lru #1\u{1B}[K\r\u{1B}[Kcareful\n"
                + "\r0/2 trials · 0 s elapsed · steady lru #1\u{1B}[K")
    }

    @Test func `the output at the end of a trial replaces the line`() {
        let progress = RunProgress(
            total: 2, style: .line(width: 60, color: false), now: { 0 }, write: { [output] in output.add($0) },
            output: { [output] trial in trial.repetition == 1 ? { output.add("table\n") } : nil })
        progress.begin(trial)
        progress.end(trial, status: .completed)
        progress.end(TrialIdentity(scenario: "steady", strategy: "lru", repetition: 2), status: .completed)
        #expect(
            output.text
                == "\r0/2 trials · 0 s elapsed · steady lru #1\u{1B}[K\r\u{1B}[Ktable\n"
                + "\r1/2 trials · 0 s elapsed · about 0 s left\u{1B}[K\r2/2 trials · 0 s elapsed · about 0 s left\u{1B}[K"
        )
    }

    @Test func `ticking ends with its task`() async {
        let progress = progress(.log(heartbeat: 1))
        let task = Task { await progress.keepTicking() }
        task.cancel()
        await task.value
    }

    @Test func `the style follows the terminal`() {
        let terminal = Terminal(isInteractive: true, hasColor: false, width: 80)
        let pipe = Terminal(isInteractive: false, hasColor: false, width: nil)
        #expect(RunProgress.style(for: terminal, isQuiet: false) == .line(width: 80, color: false))
        #expect(RunProgress.style(for: pipe, isQuiet: false) == .log(heartbeat: 60_000_000_000))
        #expect(RunProgress.style(for: terminal, isQuiet: true) == .quiet)
    }
}

@Suite(.timeLimit(.minutes(1))) struct TerminalTests {
    private func judge(_ isTerminal: Bool, _ width: Int?, _ environment: [String: String]) -> Terminal {
        Terminal.judge(isTerminal: isTerminal, width: width) { environment[$0] }
    }

    @Test(
        arguments: [
            ("xterm", nil, nil, true, true), ("xterm", "1", nil, true, false), ("xterm", "", nil, true, true),
            ("dumb", nil, nil, false, false), (nil, nil, nil, false, false), ("xterm", nil, "true", false, false),
        ] as [(String?, String?, String?, Bool, Bool)])
    func `lines are rewritten in colour, unless TERM, NO_COLOR or CI say otherwise`(
        term: String?, noColor: String?, ci: String?, isInteractive: Bool, hasColor: Bool
    ) {
        let set = ["TERM": term, "NO_COLOR": noColor, "CI": ci].compactMapValues(\.self)
        let terminal = judge(true, 120, set)
        #expect(terminal == Terminal(isInteractive: isInteractive, hasColor: hasColor, width: 120))
        #expect(judge(false, nil, set) == Terminal(isInteractive: false, hasColor: false, width: nil))
    }

    @Test(arguments: [(nil, nil, 80), (0, "100", 100), (5, nil, 20), (nil, "x", 80), (nil, "-3", 20)])
    func `a width is always one that can be used`(width: Int?, columns: String?, expected: Int) {
        var environment = ["TERM": "xterm"]
        environment["COLUMNS"] = columns
        #expect(judge(true, width, environment).width == expected)
    }
}

/// The text written, and the current time.
final class Output: @unchecked Sendable {
    // Unchecked: every test uses it from one thread at a time.
    private(set) var text = ""
    var time: UInt64 = 0

    func add(_ more: String) { text += more }
}
