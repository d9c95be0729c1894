package import TrialModel

/// How far a run is.
package struct ProgressState: Hashable, Sendable {
    /// All trials, with those that an earlier run had finished.
    package var total: Int
    /// Trials that have ended, with those that an earlier run had finished.
    package var done: Int
    /// Those that an earlier run had finished: they took no time of this one.
    package var resumed: Int
    /// Trials that did not complete.
    package var troubled: Int
    /// The trial under way.
    package var current: TrialIdentity?
    /// Since the run began.
    package var elapsedNanoseconds: UInt64
    /// Since the trial under way began.
    package var currentNanoseconds: UInt64

    package init(
        total: Int, done: Int = 0, resumed: Int = 0, troubled: Int = 0, current: TrialIdentity? = nil,
        elapsedNanoseconds: UInt64 = 0, currentNanoseconds: UInt64 = 0
    ) {
        self.total = total
        self.done = done
        self.resumed = resumed
        self.troubled = troubled
        self.current = current
        self.elapsedNanoseconds = elapsedNanoseconds
        self.currentNanoseconds = currentNanoseconds
    }

    /// The time left, if the trials to come take as long as those that ended; `nil` before the first one has.
    package var remainingNanoseconds: UInt64? {
        let measured = done - resumed
        guard measured > 0, total >= done else { return nil }
        let finished = elapsedNanoseconds - min(elapsedNanoseconds, currentNanoseconds)
        let perTrial = Double(finished) / Double(measured)
        // The trial under way has used up a part of its share, and never more than that.
        let left = perTrial * Double(total - done) - min(perTrial, Double(currentNanoseconds))
        return UInt64(exactly: max(0, left).rounded())
    }
}

/// The words of progress, without a terminal.
package enum ProgressText {
    /// The line that is rewritten on a terminal, at most `width` columns wide.
    package static func terminalLine(_ state: ProgressState, width: Int) -> String {
        var parts = ["\(state.done)/\(state.total) trials"]
        if state.troubled > 0 { parts.append("\(state.troubled) with trouble") }
        parts.append("\(span(state.elapsedNanoseconds)) elapsed")
        if let remaining = state.remainingNanoseconds { parts.append("about \(span(remaining)) left") }
        // The trial comes last: it is what may be cut.
        if let current = state.current { parts.append(name(of: current)) }
        return DisplayWidth.cut(DisplayWidth.harmless(parts.joined(separator: " · ")), to: width)
    }

    /// The line of a trial that ended, in a log.
    package static func endLine(
        _ state: ProgressState, trial: TrialIdentity, verdict: String, reason: String, took nanoseconds: UInt64
    ) -> String {
        var line = "[\(state.done)/\(state.total)] \(troubleLine(trial, verdict: verdict, reason: reason))"
        line += ", \(Quantity.duration(nanoseconds: nanoseconds))"
        if let remaining = state.remainingNanoseconds, state.done < state.total {
            line += ", about \(span(remaining)) left"
        }
        return DisplayWidth.harmless(line)
    }

    /// The line that says, in a log, that a long trial is still under way.
    package static func heartbeat(_ state: ProgressState) -> String {
        let trial = state.current.map { "\(name(of: $0)), \(span(state.currentNanoseconds))" } ?? "between two trials"
        return DisplayWidth.harmless("[\(state.done)/\(state.total)] still running: \(trial)")
    }

    /// How a trial ended.
    package static func troubleLine(_ trial: TrialIdentity, verdict: String, reason: String) -> String {
        DisplayWidth.harmless("\(name(of: trial)): \(verdict)" + (reason.isEmpty ? "" : " (\(reason))"))
    }

    /// A trial as people read it.
    package static func name(of trial: TrialIdentity) -> String {
        "\(trial.scenario) \(trial.strategy) #\(trial.repetition)"
    }

    private static func span(_ nanoseconds: UInt64) -> String {
        Quantity.span(seconds: nanoseconds / 1_000_000_000)
    }
}
