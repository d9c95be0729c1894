package import TrialModel

/// The results of one swept scenario: curves over the dimension with the most values.
///
/// The other dimensions make groups, one for each combination of their values. Times are of the same phase and the same
/// operation at all points. Costs time in proportion to the rows.
/// operation at all points. Costs time in proportion to the rows.
package struct Sweep: Sendable {
    /// The points that differ only in the value of ``dimension``.
    package struct Group: Sendable {
        /// The values of the other dimensions, such as `capacity 5000`; empty where there are none.
        package let label: String
        /// The curves of each figure: candidates first, the best at the last value in front; then bounds.
        package let curves: [SweepFigure: [SweepCurve]]
        /// The hit ratio of the clairvoyant optimum, where it is known.
        package let optimum: SweepCurve?
        /// What went wrong, in the order of the strategies and the values.
        package let troubles: [Trouble]
    }

    /// A strategy whose trials did not all complete at a value.
    package struct Trouble: Hashable, Sendable {
        package let strategy: String
        package let x: Double
        /// The outcome, such as `crashed 1/3`.
        package let status: String
        /// Why, in sentences.
        package let reasons: [String]
    }

    /// The scenario's name.
    package let scenario: String
    /// The dimension of the horizontal axis.
    package let dimension: SweepDimension
    /// The dimension's values in all groups, in ascending order.
    package let values: [Double]
    /// How values are written.
    package let texts: SweepTexts
    /// The groups, in the order of the values of the other dimensions.
    package let groups: [Group]
    /// The measured figures, in the order in which they are shown.
    package let figures: [SweepFigure]
    /// Every strategy once: candidates first, the best at the last value of the first figure in front.
    package let strategies: [String]
    /// The mark that replaces a rank, by strategy.
    package let marks: [String: String]
    /// The phase and the operation that times are of; `nil` where nothing was timed.
    package let times: TimesSource?
    /// The number of phases that ratios are averaged over.
    package let phaseCount: Int
    /// The most repetitions of a trial.
    package let repetitions: Int

    /// Whether the requests to the origin add nothing to the hit ratio, because every miss is one request.
    package let isOriginAsMisses: Bool

    /// The name of the bound that measures the harness alone.
    static let ceiling = "ceiling"

    /// - Parameters:
    ///   - results: the rows of one scenario, with the same dimensions.
    ///   - exactPhases: phases whose counts repeat exactly, by point.
    init?(_ results: [PhaseResult], marks: [String: String], exactPhases: [ScenarioPoint: Set<String>]) {
        guard let first = results.first?.trial.key.trial.scenario else { return nil }
        let points = Set(results.map(\.trial.key.trial.scenario))
        let counts = first.dimensions.map { dimension in (dimension, Set(points.compactMap { $0[dimension] }).count) }
        guard let most = counts.map(\.1).max(), most > 1, let dimension = counts.first(where: { $0.1 == most })?.0
        else { return nil }
        let rows = SweepRows(results, dimension: dimension, marks: marks, exactPhases: exactPhases)

        scenario = first.name
        self.dimension = dimension
        self.marks = marks
        values = rows.values
        texts = SweepTexts(isCapacityInBytes: results.contains { $0.hitRate?.capacity.bytes != nil })
        let groups = rows.groups(texts)
        self.groups = groups
        times = rows.times
        phaseCount = rows.measured.count
        repetitions = Set(results.map(\.trial.key.trial.repetition)).count
        isOriginAsMisses = groups.allSatisfy(\.isOriginAsMisses)
        // If no candidate asked the origin, the figure says nothing.
        let figures = rows.figures.filter { figure in
            groups.contains { group in
                (group.curves[figure] ?? []).contains { curve in
                    curve.mark == nil
                        && curve.samples.contains { figure != .originShare || $0.spread.high > 0 }
                }
            }
        }
        self.figures = figures
        strategies = rows.strategies(
            startingWith: groups.flatMap { group in
                (figures.first.flatMap { group.curves[$0] } ?? []).map(\.strategy)
            })
    }

    /// The figures that have tables. Requests to the origin have none where they equal the misses.
    package var tabledFigures: [SweepFigure] { figures.filter { $0 != .originShare || !isOriginAsMisses } }
}

extension Sweep.Group {
    fileprivate var isOriginAsMisses: Bool {
        (curves[.originShare] ?? []).allSatisfy { origin in
            let hits = curves[.hitRatio]?.first { $0.strategy == origin.strategy }
            return origin.mark != nil
                || origin.samples.allSatisfy { sample in
                    hits?[sample.x].map { abs(1 - $0.spread.median - sample.spread.median) < 0.005 } ?? false
                }
        }
    }
}

/// Results, split into sweeps and the rest.
package struct SweptResults: Sendable {
    /// The sweeps, in the order in which they first appear.
    package let sweeps: [Sweep]
    /// The results outside sweeps, and those of sweeps with a single point.
    package let others: [PhaseResult]

    /// - Parameters:
    ///   - results: the rows of runs.
    ///   - marks: the mark that replaces the rank, by strategy; such strategies come last.
    ///   - exactPhases: phases whose counts repeat exactly, by point.
    package init(
        _ results: [PhaseResult], marks: [String: String] = ClosingTable.marks,
        exactPhases: [ScenarioPoint: Set<String>] = [:]
    ) {
        struct Name: Hashable {
            let scenario: String
            let dimensions: [SweepDimension]
        }
        var order: [Name] = []
        var grouped: [Name: [PhaseResult]] = [:]
        var others: [PhaseResult] = []
        for result in results {
            let point = result.trial.key.trial.scenario
            let name = Name(scenario: point.name, dimensions: point.dimensions)
            if grouped[name] == nil { order.append(name) }
            grouped[name, default: []].append(result)
        }
        var sweeps: [Sweep] = []
        for name in order {
            let own = grouped[name] ?? []
            if !name.dimensions.isEmpty, let sweep = Sweep(own, marks: marks, exactPhases: exactPhases) {
                sweeps.append(sweep)
            } else {
                others += own
            }
        }
        self.sweeps = sweeps
        self.others = others
    }
}
