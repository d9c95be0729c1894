import Foundation
package import TrialModel

/// Reports the progress of a run on standard error.
///
/// On a terminal one line is rewritten, and lines about trouble stay above it. Elsewhere, as in CI, trouble and each
/// scenario get a plain line, and a silence of a minute gets a heartbeat. Safe to use from several threads at once.
package final class RunProgress: @unchecked Sendable {
    // Unchecked, because `state` and `trialStart` are variables: every access to them is between `lock` and `unlock`.

    /// How progress is shown.
    package enum Style: Hashable, Sendable {
        /// One line, rewritten.
        case line(width: Int, color: Bool)
        /// Plain lines, with a heartbeat after this many nanoseconds of silence.
        case log(heartbeat: UInt64)
        /// No progress; ``note(_:)`` still writes.
        case quiet
    }

    /// The style for a stream.
    package static func style(for terminal: Terminal, isQuiet: Bool) -> Style {
        if isQuiet { return .quiet }
        guard terminal.isInteractive, let width = terminal.width else { return .log(heartbeat: 60_000_000_000) }
        return .line(width: width, color: terminal.hasColor)
    }

    /// What to print on another stream once a trial has ended; `nil` for nothing.
    package typealias Output = @Sendable (TrialIdentity) -> (() -> Void)?

    private let style: Style
    private let output: Output
    private let write: @Sendable (String) -> Void
    private let now: @Sendable () -> UInt64
    private let start: UInt64
    /// The trials that were planned; more may follow until something is decided, which a log shows only as heartbeats.
    private let planned: Int
    private let lock = NSLock()
    private var state: ProgressState
    private var trialStart: UInt64
    private var lastOutput: UInt64
    /// Trials of one scenario that have ended, for which a log has no line yet.
    private var ended: (scenario: ScenarioPoint, trials: Int, nanoseconds: UInt64)?
    private var isLineShown = false
    private var isFinished = false

    /// - Parameters:
    ///   - total: all trials of the run.
    ///   - resumed: how many of them an earlier run had finished.
    ///   - limit: the time limit of the run in nanoseconds; `nil` without one.
    ///   - style: how progress is shown.
    ///   - now: a monotonic clock, in nanoseconds.
    ///   - write: writes text; to standard error by default.
    ///   - output: called for each trial that ended; returns what to print on the same terminal. It must not call back
    ///     into this object.
    package init(
        total: Int, resumed: Int = 0, limit: UInt64? = nil, style: Style,
        now: @escaping @Sendable () -> UInt64 = { DispatchTime.now().uptimeNanoseconds },
        write: @escaping @Sendable (String) -> Void = Terminal.writeToStandardError,
        output: @escaping Output = { _ in nil }
    ) {
        self.style = style
        self.output = output
        self.now = now
        self.write = write
        start = now()
        planned = total
        trialStart = start
        lastOutput = start
        state = ProgressState(total: total, done: resumed, resumed: resumed)
        state.limit = limit
    }

    /// A trial begins.
    package func begin(_ trial: TrialIdentity) {
        locked {
            if trial.scenario != ended?.scenario { logEnded() }
            trialStart = now()
            state.current = trial
            update(trialStart)
            redraw()
        }
    }

    /// Says what has been reached, in place of a number of trials.
    package func reach(_ text: String) {
        locked {
            update(now())
            state.reached = text
            if case .log = style {
                lastOutput = now()
                write(ProgressText.reachedLine(state) + "\n")
            }
            redraw()
        }
    }

    /// The trial in progress has ended.
    ///
    /// - Parameter reason: why it did not complete; empty otherwise.
    package func end(_ trial: TrialIdentity, status: TrialStatus, reason: String = "") {
        end(trial, verdict: status.rawValue, isTrouble: status != .completed, reason: reason)
    }

    /// The trial in progress has ended.
    ///
    /// - Parameters:
    ///   - verdict: the outcome, in a word.
    ///   - isTrouble: whether people should see it at once.
    ///   - reason: more about it; may be empty.
    package func end(_ trial: TrialIdentity, verdict: String, isTrouble: Bool, reason: String) {
        locked {
            let moment = now()
            let took = moment - min(moment, trialStart)
            if trial.scenario != ended?.scenario { logEnded() }
            trialStart = moment
            state.current = nil
            state.done += 1
            state.total = max(state.total, state.done)
            if isTrouble { state.troubled += 1 }
            update(moment)
            switch style {
            case .line(let width, let color):
                if isTrouble {
                    let text = ProgressText.troubleLine(trial, verdict: verdict, reason: reason)
                    put(DisplayWidth.cut(text, to: max(width, 200)), red: color)
                }
            case .log:
                if isTrouble { put(ProgressText.troubleLine(trial, verdict: verdict, reason: reason), red: false) }
                ended = (trial.scenario, (ended?.trials ?? 0) + 1, (ended?.nanoseconds ?? 0) &+ took)
            case .quiet: break
            }
            if let print = output(trial) {
                erase()
                print()
            }
            redraw()
        }
    }

    /// Removes a trial from the total, because it is not needed.
    package func forgo() {
        locked { state.total = max(state.done, state.total - 1) }
    }

    /// Updates the display for the time that has passed; to be called about once a second. ``keepTicking()`` does so.
    package func tick() {
        locked {
            let moment = now()
            update(moment)
            switch style {
            case .line: redraw()
            case .log(let heartbeat):
                guard !isFinished, state.current != nil, moment - min(moment, lastOutput) >= heartbeat else { return }
                lastOutput = moment
                write(ProgressText.heartbeat(state) + "\n")
            case .quiet: break
            }
        }
    }

    /// Calls ``tick()`` once a second until the task is cancelled; runs beside the trials.
    package func keepTicking() async {
        guard style != .quiet else { return }
        while !Task.isCancelled {
            do { try await Task.sleep(for: .seconds(1)) } catch { return }
            tick()
        }
    }

    /// Writes a line, such as a warning, above the line of progress.
    package func note(_ text: String) {
        locked {
            put(DisplayWidth.harmless(text), red: false)
            redraw()
        }
    }

    /// Removes the progress line for good; to be called before results are printed.
    package func finish() {
        locked {
            logEnded()
            erase()
            isFinished = true
        }
    }

    private func locked(_ body: () -> Void) {
        lock.lock()
        defer { lock.unlock() }
        body()
    }

    private func update(_ moment: UInt64) {
        state.elapsedNanoseconds = moment - min(moment, start)
        state.currentNanoseconds = moment - min(moment, trialStart)
    }

    private func logEnded() {
        guard let ended, case .log = style else { return }
        self.ended = nil
        guard state.done <= planned else { return }
        lastOutput = now()
        write(
            ProgressText.scenarioLine(
                state, scenario: "\(ended.scenario)", trials: ended.trials, took: ended.nanoseconds)
                + "\n")
    }

    private func put(_ line: String, red: Bool) {
        erase()
        write(red ? "\u{1B}[31m\(line)\u{1B}[0m\n" : line + "\n")
    }

    private func redraw() {
        guard case .line(let width, _) = style, !isFinished else { return }
        // One column stays free: a full line wraps on some terminals, and could not be rewritten.
        write("\r" + ProgressText.terminalLine(state, width: width - 1) + "\u{1B}[K")
        isLineShown = true
    }

    private func erase() {
        guard isLineShown else { return }
        write("\r\u{1B}[K")
        isLineShown = false
    }
}
