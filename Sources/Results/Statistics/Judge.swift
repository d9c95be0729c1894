package import TrialModel

/// The judge of "A differs from B": samples in, a verdict and an interval out. Comparisons, thresholds, sweeps and ranks
/// ask it.
///
/// A verdict follows from one confidence interval: `worse` and `better` when the whole interval lies beyond the smallest
/// difference worth reporting, `same` when the whole interval lies within it, otherwise `inconclusive`. Noise makes
/// intervals wide and verdicts inconclusive, but not wrong. The assumptions are those of the shift.
///
/// **What holds.** Each of `worse` and `better` is false with a probability of at most half the error that the caller
/// spends on the finding, `same` likewise, or with ``finding(_:wholes:error:errorOfSame:)``'s own error. Callers correct
/// for the number of findings with ``ErrorSpending`` or ``Correction``. `SimulatedTableTests` simulates tables of 2, 5, 10
/// and 25 strategies: of 2,000 tables at most 3.2 % have a false verdict of a kind. What holds for ranks is said at
/// ``finding(differences:scatter:of:beside:comparisons:)``.
///
/// **Verdicts in a good direction** take as much as `worse`. Where the differences of rounds are medians of slices, an
/// effect on fewer than half of the slices shows only in whole rounds. Therefore whole rounds alone can make a figure
/// worse, with half of the error. `same` also needs that whole rounds are surely not worse by the smallest difference, and
/// `better` that they are surely not worse at all, each with an error of 5 % at a look. With this error a comparison of
/// ±2 % that looks 13 times calls a loss of 3 % in whole rounds the same in one case of twenty.
package struct Judge: Sendable {
    /// The smallest difference worth reporting, on the scale of the samples.
    package let margin: Double
    package let higherIsBetter: Bool
    /// How far the machine moved, upwards and downwards. A difference must exceed it to be one, and `same` must hold
    /// without it too: a faster machine must not hide a slower strategy.
    package var drift: (up: Double, down: Double) = (0, 0)

    /// A figure in steps of the clock may lie on the margin. Rounding does not put it beyond.
    package init(margin: Double, higherIsBetter: Bool) {
        self.margin = margin + Shift.rounding
        self.higherIsBetter = higherIsBetter
    }

    /// The verdict on a shift.
    ///
    /// - Parameters:
    ///   - wholes: the shift of whole rounds, where `shift` is of medians of slices.
    ///   - error: the probability that the interval does not hold the true shift.
    ///   - errorOfSame: the error of `same` where it is a claim of its own: two one-sided tests (D. J. Schuirmann, "A
    ///     Comparison of the Two One-Sided Tests Procedure and the Power Approach for Assessing the Equivalence of
    ///     Average Bioavailability", 1987).
    package func finding(
        _ shift: Shift, wholes: Shift? = nil, error: Double, errorOfSame: Double? = nil
    ) -> Finding {
        let each = Self.part(of: error, hasWholes: wholes != nil)
        if let wholes {
            let finding = finding(of: wholes, wholes.interval(error: each), error: each)
            if finding.verdict == .worse { return finding.with { $0.remark = .wholesDecide } }
        }
        var finding = finding(of: shift, shift.interval(error: each), error: each)
        if let errorOfSame, finding.verdict == .inconclusive {
            let narrow = self.finding(of: shift, shift.interval(error: 2 * errorOfSame), error: 2 * errorOfSame)
            if narrow.verdict == .same { finding = narrow }
        }
        if let wholes, finding.verdict == .same || finding.verdict == .better,
            mayBeWorse(wholes, than: finding.verdict == .same ? margin : 0)
        {
            (finding.verdict, finding.remark) = (.inconclusive, .wholesDisagree)
        }
        return finding
    }

    /// The verdict on a row of a table against another one, such as the best.
    ///
    /// The interval is the wider one of two, both around the estimate of the pairs:
    ///
    /// - Student's interval of the pairs alone, at 99 %. It keeps a quiet table from accusing its one noisy row.
    /// - The interval of the scatter of the whole table, whose error of 5 % is divided between the comparisons. It needs few
    ///   repetitions.
    ///
    /// Differences without scatter that are within the smallest difference, such as medians in the same step of the clock,
    /// are the same.
    ///
    /// **What holds.** `RanksTests` simulates runs that look after each repetition, 1,000 tables of each kind. Of 2 to 25
    /// equal strategies any is called worse in at most 0.8 % of tables; in at most 4.5 % where one strategy scatters ten
    /// times more; where half of them do, in at most 8.3 % of tables of up to ten, and in 17.4 % of tables of 25.
    ///
    /// - Parameters:
    ///   - differences: one of each repetition that both rows have.
    ///   - scatter: of the whole table; without it nothing is decided.
    ///   - row: the place of the row in it.
    ///   - other: the place of the other row.
    ///   - comparisons: between how many the error is divided.
    package func finding(
        differences: [Double], scatter: BlockScatter?, of row: Int, beside other: Int, comparisons: Int
    ) -> Finding {
        guard let shift = Shift(differences: differences) else {
            return Finding(estimate: differences.median ?? 0, interval: nil, confidence: 0).with {
                $0.remark = .tooFew
            }
        }
        let error = ErrorSpending.each(of: comparisons)
        let own = shift.scatters ? shift.interval(error: Self.errorOfRow) : nil
        let ownReach = own.map { ($0.upperBound - $0.lowerBound) / 2 } ?? 0
        var reach = max(
            ownReach, scatter?.reach(between: row, other, error: error, margin: margin) ?? .infinity)
        if ownReach == 0, shift.estimate.magnitude <= margin { reach = 0 }
        return finding(of: shift, (shift.estimate - reach)...(shift.estimate + reach), error: error)
    }

    /// The error of the interval of two rows alone.
    private static let errorOfRow = 0.01

    /// Whether whole rounds may have lost this much.
    private func mayBeWorse(_ wholes: Shift, than loss: Double) -> Bool {
        let probability = higherIsBetter ? wholes.probability(ofAtMost: -loss) : wholes.probability(ofAtLeast: loss)
        return probability > ErrorSpending.total
    }

    private func finding(of shift: Shift, _ interval: ClosedRange<Double>?, error: Double) -> Finding {
        var finding = Finding(estimate: shift.estimate, interval: interval, confidence: 1 - error)
        guard let interval else { return finding.with { $0.remark = .tooFew } }
        switch interval.position(from: -margin - drift.down, to: margin + drift.up) {
        case .above: finding.verdict = higherIsBetter ? .better : .worse
        case .below: finding.verdict = higherIsBetter ? .worse : .better
        case .within, .open:
            if interval.position(from: drift.up - margin, to: margin - drift.down) == .within {
                finding.verdict = .same
            } else {
                let isDecided = interval.position(from: -margin, to: margin) != .open
                finding.remark = isDecided ? .driftDecides : .holdsMargin
            }
        }
        return finding
    }

    /// The two-sided probability of such samples without a difference worth reporting.
    package func probability(_ shift: Shift, wholes: Shift? = nil) -> Double {
        let (low, high) = (-margin - drift.down, margin + drift.up)
        let own = min(shift.probability(ofAtMost: high), shift.probability(ofAtLeast: low))
        guard let wholes else { return 2 * own }
        let lost = higherIsBetter ? wholes.probability(ofAtLeast: low) : wholes.probability(ofAtMost: high)
        return 4 * min(own, lost)
    }

    /// The error of each interval of a finding.
    package static func part(of error: Double, hasWholes: Bool) -> Double { hasWholes ? error / 2 : error }
}

/// A verdict with its interval.
package struct Finding: Changeable, Sendable {
    package var verdict = ComparisonVerdict.inconclusive
    /// The most likely shift.
    package let estimate: Double
    /// `nil` where the samples are too few for any interval.
    package let interval: ClosedRange<Double>?
    /// The confidence level of the interval.
    package let confidence: Double
    /// What is remarkable about the verdict, or why there is none.
    package var remark: Remark?

    /// A remark on a finding.
    package enum Remark: Sendable {
        /// The interval holds an end of the smallest difference.
        case holdsMargin
        /// The samples are too few for an interval.
        case tooFew
        /// Without what the machine moved there would be a verdict.
        case driftDecides
        /// Whole rounds are worse; slices may not show it.
        case wholesDecide
        /// Slices are the same or better, but whole rounds may be worse.
        case wholesDisagree
    }

    init(estimate: Double, interval: ClosedRange<Double>?, confidence: Double) {
        (self.estimate, self.interval, self.confidence) = (estimate, interval, confidence)
    }
}
