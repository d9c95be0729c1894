package import TrialModel

/// The progress of a run.
package struct ProgressState: Hashable, Sendable {
    /// All trials, including those that an earlier run finished.
    package var total: Int
    /// Trials that have ended, including those that an earlier run finished.
    package var done = 0
    /// Trials that an earlier run finished: they took no time in this run.
    package var resumed = 0
    /// Trials that did not complete.
    package var troubled = 0
    /// The trial in progress.
    package var current: TrialIdentity?
    /// Nanoseconds since the run began.
    package var elapsedNanoseconds: UInt64 = 0
    /// Nanoseconds since the trial in progress began.
    package var currentNanoseconds: UInt64 = 0
    /// The time limit of the run in nanoseconds; `nil` without one.
    package var limit: UInt64?
    /// What has been reached, where nothing says how many trials there will be; `nil` where trials are counted.
    package var reached: String?

    /// The time left if the remaining trials take as long as the finished ones, and at most until the time limit; `nil`
    /// before the first one has ended.
    package var remainingNanoseconds: UInt64? {
        let measured = done - resumed
        guard measured > 0, total >= done else { return nil }
        let finished = elapsedNanoseconds - min(elapsedNanoseconds, currentNanoseconds)
        let perTrial = Double(finished) / Double(measured)
        // The trial in progress has used part of its share, and is never counted for more than that share.
        let left = perTrial * Double(total - done) - min(perTrial, Double(currentNanoseconds))
        let untilLimit = limit.map { Double($0 - min($0, elapsedNanoseconds)) } ?? .infinity
        return UInt64(exactly: max(0, min(left, untilLimit)).rounded())
    }
}

/// The texts of progress, independent of a terminal.
package enum ProgressText {
    /// The line that is rewritten on a terminal, at most `width` columns wide.
    package static func terminalLine(_ state: ProgressState, width: Int) -> String {
        var parts = [state.reached ?? "\(state.done)/\(state.total) trials"]
        if state.troubled > 0 { parts.append("\(state.troubled) with trouble") }
        parts.append("\(span(state.elapsedNanoseconds)) elapsed")
        if let left = left(state) { parts.append(left) }
        // The trial comes last, because the end of the line may be cut.
        if let current = state.current { parts.append(name(of: current)) }
        return DisplayWidth.cut(DisplayWidth.harmless(parts.joined(separator: " · ")), to: width)
    }

    /// The log line for trials of one scenario that ended one after the other.
    package static func scenarioLine(
        _ state: ProgressState, scenario: String, trials: Int, took nanoseconds: UInt64
    ) -> String {
        var line = "[\(state.done)/\(state.total)] \(scenario): \(trials) \(trials == 1 ? "trial" : "trials")"
        line += ", \(Quantity.duration(nanoseconds: nanoseconds))"
        if let remaining = state.remainingNanoseconds, state.done < state.total {
            line += ", about \(span(remaining)) left"
        }
        return DisplayWidth.harmless(line)
    }

    /// The log line that says that a long trial is still running.
    package static func heartbeat(_ state: ProgressState) -> String {
        let trial = state.current.map { "\(name(of: $0)), \(span(state.currentNanoseconds))" } ?? "between two trials"
        return DisplayWidth.harmless("[\(state.reached ?? "\(state.done)/\(state.total)")] still running: \(trial)")
    }

    /// The log line of what has been reached.
    package static func reachedLine(_ state: ProgressState) -> String {
        let parts = [state.reached, "\(span(state.elapsedNanoseconds)) elapsed", left(state)]
        return DisplayWidth.harmless(parts.compactMap(\.self).joined(separator: ", "))
    }

    private static func left(_ state: ProgressState) -> String? {
        guard state.reached == nil else {
            return state.limit.map { "at most \(span($0 - min($0, state.elapsedNanoseconds))) left" }
        }
        return state.remainingNanoseconds.map { "about \(span($0)) left" }
    }

    /// How a trial ended.
    package static func troubleLine(_ trial: TrialIdentity, verdict: String, reason: String) -> String {
        DisplayWidth.harmless("\(name(of: trial)): \(verdict)" + (reason.isEmpty ? "" : " (\(reason))"))
    }

    /// A trial's name for people.
    package static func name(of trial: TrialIdentity) -> String {
        "\(trial.scenario) \(trial.strategy) #\(trial.repetition)"
    }

    private static func span(_ nanoseconds: UInt64) -> String {
        Quantity.span(seconds: nanoseconds / 1_000_000_000)
    }
}
