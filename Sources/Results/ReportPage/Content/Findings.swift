import Reports
import TrialModel

/// A fact that a reader must know before the figures.
struct Finding: Hashable, Sendable {
    /// The severity; the worst level comes first.
    enum Level: Int, Comparable, Sendable {
        case bad, warning, note

        static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
    }

    var level: Level
    /// One sentence; backticks mark code.
    var text: String
}

extension ReportContent {
    /// Errors, limits of the figures, and missing parts; the worst first.
    var findings: [Finding] {
        let all =
            sources.flatMap { gates($0) } + raceFindings + promiseFindings + comparisonFindings
            + sources.flatMap { conditions($0) }
        return all.distinct.enumerated().sorted {
            $0.element.level == $1.element.level ? $0.offset < $1.offset : $0.element.level < $1.element.level
        }.map(\.element)
    }

    /// Whether a folder has a finding about missing trials.
    var hasGaps: Bool { sources.contains { $0.reasonForGaps != nil } }

    /// The row with the worst verdict on a strategy, of all scenarios.
    func worstRace(of strategy: String) -> RaceRow? {
        races.filter { $0.strategy == strategy }.max { $0.verdict < $1.verdict }
    }

    private func gates(_ source: Source) -> [Finding] {
        (source.verdict?.gates ?? []).filter { !$0.passed }.map {
            Finding(level: .bad, text: "Gate `\($0.name)` failed: \($0.reason)")
        }
    }

    private var raceFindings: [Finding] {
        let names = Set(races.map(\.strategy)).sorted()
        let verdicts = names.compactMap { worstRace(of: $0) }
        let flagged = verdicts.filter { $0.verdict == .racy || $0.verdict == .crashed }.map { row in
            let place = row.firstLocation.isEmpty ? "" : ", first at `\(row.firstLocation)`"
            return Finding(
                level: marks[row.strategy] == nil ? .bad : .note,
                text: "`\(row.strategy)` is \(row.verdict.rawValue) in \(row.scenario): flagged in "
                    + "\(row.runsFlagged) of \(row.runs) runs\(place).")
        }
        let missed = controls.filter { !$0.isCaught }.map {
            Finding(level: .bad, text: "The detector failed its control `\($0.control)`: no verdict on races counts.")
        }
        return missed + flagged
    }

    /// One sentence for each strategy, regardless of the number of promises it broke.
    private var promiseFindings: [Finding] {
        brokenPromises.grouped(by: \.trial.strategy).map { name, own in
            let words = own.grouped(by: \.promise).map { promise, lines in
                let others = lines.count - 1
                let more = others == 0 ? "" : " and \(others) more"
                return "\(promise.rawValue) in \(lines[0].trial.scenario)\(more)"
            }
            return Finding(
                level: marks[name] == nil ? .bad : .note,
                text: "`\(name)` violated its guarantees: \(Quantity.few(words, separator: ", ")). "
                    + (own.first?.example ?? ""))
        }
    }

    /// The first broken row of each strategy, promise and scenario.
    var brokenPromises: [ConsistencyRow] {
        promises.filter { $0.verdict == .inconsistent }
            .grouped { [$0.trial.strategy, $0.promise.rawValue, $0.trial.scenario.description] }
            .compactMap(\.elements.first)
    }

    /// A run that got worse. Strategies of one run that differ from each other are not findings.
    private var comparisonFindings: [Finding] {
        comparisons.filter { $0.verdict == .worse && $0.strategy == $0.baselineStrategy }.map { row in
            Finding(
                level: marks[row.strategy] == nil ? .bad : .note,
                text: "Worse than the baseline: \(ComparisonText.line(row)).")
        }
    }

    private func conditions(_ source: Source) -> [Finding] {
        var found: [Finding] = []
        if let why = source.reasonForGaps {
            found.append(
                Finding(level: .warning, text: "These results are partial (\(why)): `\(source.path)` lacks trials."))
        }
        found += source.unusable.map { Finding(level: .warning, text: "Incomplete: \($0).") }
        if let note = source.machines { found.append(Finding(level: .warning, text: "Machines: \(note).")) }
        guard let run = source.run else { return found }
        if run.smoke {
            found.append(
                Finding(level: .warning, text: "Every phase was cut to a small size (`--smoke`): times mean nothing."))
        }
        if run.buildConfiguration != "release", source.hasTimes {
            found.append(Finding(level: .warning, text: "A \(run.buildConfiguration) build: times mean little."))
        }
        found += (run.noise?.warnings ?? []).map { Finding(level: .warning, text: "Noise: \($0).") }
        for part in run.merged?.parts ?? [] {
            found += (part.noise?.warnings ?? []).map {
                Finding(level: .warning, text: "Noise on \(part.host.name): \($0).")
            }
        }
        return found + Self.leftOut(run)
    }

    /// One sentence for each reason, regardless of the number of trials it left out.
    private static func leftOut(_ run: RunDescription) -> [Finding] {
        run.leftOut.grouped(by: \.reason).map { reason, entries in
            Finding(level: .note, text: "Left out (\(reason)): \(Quantity.few(entries.map(\.what))).")
        }
    }
}
