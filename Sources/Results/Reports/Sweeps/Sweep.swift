package import TrialModel

/// The results of one swept scenario: curves over the dimension with the most values.
///
/// The other dimensions make groups, one for each combination of their values. Times are of the same phase and the same
/// operation at all points. Costs time in proportion to the rows.
package struct Sweep: Sendable {
    /// The points that differ only in the value of ``dimension``.
    package struct Group: Sendable {
        /// The values of the other dimensions, such as `capacity 5000`; empty where there are none.
        package let label: String
        /// The curves of each figure: candidates first, the best at the last value in front; then bounds.
        package let curves: [Metric: [SweepCurve]]
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
    package let figures: [Metric]
    /// Every strategy once: candidates first, the best at the last value of the first figure in front.
    package let strategies: [String]
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

    /// - Parameter results: the rows of one scenario, with the same dimensions.
    init?(_ results: [PhaseResult], marks: [String: String]) {
        guard let first = results.first?.trial.key.scenario else { return nil }
        let points = Set(results.map(\.trial.key.scenario))
        let counts = first.dimensions.map { dimension in (dimension, Set(points.compactMap { $0[dimension] }).count) }
        guard let most = counts.map(\.1).max(), most > 1, let dimension = counts.first(where: { $0.1 == most })?.0
        else { return nil }
        let rows = SweepRows(results, dimension: dimension, marks: marks)

        scenario = first.name
        self.dimension = dimension
        values = rows.values
        texts = SweepTexts(isCapacityInBytes: results.contains { $0.hitRate?.capacity.bytes != nil })
        let groups = rows.groups(texts)
        self.groups = groups
        times = rows.times
        phaseCount = rows.measured.count
        repetitions = Set(results.map(\.trial.key.repetition)).count
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
    package var tabledFigures: [Metric] { figures.filter { $0 != .originShare || !isOriginAsMisses } }
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
    package init(_ results: [PhaseResult], marks: [String: String] = ClosingTable.marks) {
        struct Name: Hashable {
            let scenario: String
            let dimensions: [SweepDimension]
        }
        var sweeps: [Sweep] = []
        var others: [PhaseResult] = []
        let groups = results.grouped { result in
            let point = result.trial.key.scenario
            return Name(scenario: point.name, dimensions: point.dimensions)
        }
        for (name, own) in groups {
            if !name.dimensions.isEmpty, let sweep = Sweep(own, marks: marks) {
                sweeps.append(sweep)
            } else {
                others += own
            }
        }
        self.sweeps = sweeps
        self.others = others
    }
}

/// A strategy's figure at one value of a sweep, from its repetitions.
package struct SweepSample: Hashable, Sendable {
    /// The value of the swept dimension.
    package let x: Double
    /// The figure in each repetition that completed; at least one.
    package let repetitions: [Double]
    /// Their median, the lowest and the highest.
    package let spread: Spread
    /// Whether the harness was near its own limit, so that the strategy may be faster.
    package let isAtLeast: Bool

    /// `nil` without repetitions.
    package init?(x: Double, _ repetitions: [Double], isAtLeast: Bool = false) {
        guard let spread = Spread(repetitions) else { return nil }
        self.x = x
        self.repetitions = repetitions
        self.spread = spread
        self.isAtLeast = isAtLeast
    }
}

/// A figure of a strategy over the values of a sweep.
package struct SweepCurve: Hashable, Sendable {
    /// The strategy's name.
    package let strategy: String
    /// The mark that replaces a rank, such as `bound`; `nil` for a candidate.
    package let mark: String?
    /// The samples in ascending order of the value; a value without measurements has none.
    package let samples: [SweepSample]

    package init(strategy: String, mark: String? = nil, samples: [SweepSample]) {
        self.strategy = strategy
        self.mark = mark
        self.samples = samples
    }

    /// The sample at a value.
    package subscript(x: Double) -> SweepSample? { samples.first { $0.x == x } }
}

/// The rows of one swept scenario, from which its curves are made.
struct SweepRows {
    let dimension: SweepDimension
    let values: [Double]
    /// The names of the measured phases.
    let measured: Set<String>
    let times: TimesSource?
    /// The figures that may have been measured.
    let figures: [Metric]
    /// Whether clients send operations as soon as they can.
    private let isClosed: Bool
    private let marks: [String: String]
    private let names: [String]
    private let rows: [ScenarioPoint: [String: [PhaseResult]]]
    /// The repetitions that all sound candidates have at a point: others have other keys.
    private let common: [ScenarioPoint: Set<Int>?]

    init(_ results: [PhaseResult], dimension: SweepDimension, marks: [String: String]) {
        self.dimension = dimension
        self.marks = marks
        values = Set(results.compactMap { $0.trial.key.scenario[dimension] }).sorted()
        measured = Set(results.filter { !$0.latency.isEmpty }.map(\.trial.key.phase))
        times = TimesSource(results, measured: measured)
        names = results.map(\.trial.key.strategy).distinct
        rows = Dictionary(grouping: results, by: \.trial.key.scenario)
            .mapValues { Dictionary(grouping: $0, by: \.trial.key.strategy) }
        common = rows.mapValues { ScenarioRanking.common($0, marks: marks) }
        let counted = results.compactMap { result in
            result.instructionCounts.map { Metric.instructions(phase: result.trial.key.phase, $0.method) }
        }.distinct
        let hasFrames = results.contains { $0.frames != nil }
        let isClosed = !hasFrames && !results.contains { $0.latency.contains { $0.labels.basis == .response } }
        self.isClosed = isClosed
        let first = counted.isEmpty && hasFrames ? Metric.judgingFrames : counted
        // A scroll, or the arrival, fixes how many operations there are in a second; only more arrivals can exceed it.
        figures =
            first.isEmpty
            ? Self.timed(dimension).filter { isClosed || dimension == .rate || $0 != .throughput }
            : first + [.hitRatio, .originShare]
    }

    /// The figure that the dimension changes most comes first.
    private static func timed(_ dimension: SweepDimension) -> [Metric] {
        switch dimension {
        case .clients: [.throughput, .p99, .hitRatio, .originShare]
        case .originDelay, .rate: [.p99, .throughput, .hitRatio, .originShare]
        case .capacity, .zipf, .writeShare, .valueSize, .keys: [.hitRatio, .originShare, .throughput, .p99]
        }
    }

    /// The strategies, with the named ones first and bounds last.
    func strategies(startingWith first: [String]) -> [String] {
        let all = (first + names).distinct
        return all.filter { marks[$0] == nil } + all.filter { marks[$0] != nil }
    }

    /// The points that differ only in the value of the dimension.
    func groups(_ texts: SweepTexts) -> [Sweep.Group] {
        let others = Set(rows.keys.map { point in point.without(dimension) })
        return others.sorted().map { group(texts, $0) }
    }

    private func group(_ texts: SweepTexts, _ other: ScenarioPoint) -> Sweep.Group {
        let cells = names.flatMap { name in values.compactMap { cell(name, other, $0) } }
        let troubles = cells.filter { $0.summary.status != "completed" }.map {
            Sweep.Trouble(
                strategy: $0.summary.strategy, x: $0.x, status: $0.summary.status, reasons: $0.summary.reasons)
        }
        var curves: [Metric: [SweepCurve]] = [:]
        for figure in figures { curves[figure] = ordered(names.map { curve($0, cells, figure) }, figure) }
        let optima = values.compactMap { x in
            SweepSample(x: x, cells.filter { $0.x == x }.compactMap(\.optimum).median.map { [$0] } ?? [])
        }
        return Sweep.Group(
            label: texts.label(other), curves: curves,
            optimum: optima.isEmpty ? nil : SweepCurve(strategy: "optimum", mark: "bound", samples: optima),
            troubles: troubles)
    }

    private func cell(_ strategy: String, _ other: ScenarioPoint, _ x: Double) -> SweepCell? {
        var point = other
        point[dimension] = x
        return rows[point]?[strategy].map {
            SweepCell(strategy: strategy, x: x, $0, common[point] ?? nil, measured, times)
        }
    }

    private func curve(_ strategy: String, _ cells: [SweepCell], _ figure: Metric) -> SweepCurve {
        let own = cells.filter { $0.summary.strategy == strategy }
        // The bound of the harness alone makes no lookups.
        let isSilent = strategy == Sweep.ceiling && figure.isCount
        let samples = own.compactMap { cell -> SweepSample? in
            let figures = isSilent ? [] : cell.figures(figure)
            let most = cells.first { $0.x == cell.x && $0.summary.strategy == Sweep.ceiling }?
                .figures(.throughput).median
            let isAtLeast =
                figure == .throughput && isClosed && marks[strategy] == nil
                && most.map { (figures.median ?? 0) >= 0.95 * $0 } ?? false
            return SweepSample(x: cell.x, figures, isAtLeast: isAtLeast)
        }
        return SweepCurve(strategy: strategy, mark: marks[strategy], samples: samples)
    }

    /// Candidates in the order of their figure at the last value, then bounds.
    private func ordered(_ curves: [SweepCurve], _ figure: Metric) -> [SweepCurve] {
        curves.sorted { left, right in
            if (left.mark == nil) != (right.mark == nil) { return left.mark == nil }
            let (own, other) = (left.samples.last, right.samples.last)
            guard left.mark == nil, let own, let other else {
                return left.mark == nil && (own == nil) != (other == nil) ? own != nil : left.strategy < right.strategy
            }
            if own.x != other.x { return own.x > other.x }
            let (first, second) = (own.spread.median, other.spread.median)
            return first == second ? left.strategy < right.strategy : (first > second) == figure.higherIsBetter
        }
    }
}

/// A strategy at one point.
private struct SweepCell {
    let x: Double
    let summary: StrategySummary
    /// The hit ratio of the clairvoyant optimum; `nil` where a phase with lookups lacks it.
    let optimum: Double?
    /// The phases of each repetition that counts.
    private let counted: [[PhaseResult]]

    /// - Parameter common: the repetitions whose figures count; `nil` for all.
    init(
        strategy: String, x: Double, _ results: [PhaseResult], _ common: Set<Int>?, _ measured: Set<String>,
        _ times: TimesSource?
    ) {
        self.x = x
        summary = StrategySummary(
            strategy: strategy, results: results, repetitions: common, measured: measured, times: times)
        counted = results.countedRepetitions(common)
        let withLookups = counted.joined().filter {
            $0.hitRate?.lookups ?? 0 > 0 && measured.contains($0.trial.key.phase)
        }
        let optima = withLookups.map { $0.hitRate?.optimalHitRatio }.complete()
        optimum = optima.isEmpty ? nil : optima.reduce(0, +) / Double(optima.count)
    }

    /// The figure in each repetition that counts; empty where one lacks it, or where most lack one of a special phase.
    func figures(_ figure: Metric) -> [Double] {
        switch figure {
        case .throughput: summary.repetitions.map(\.operationsPerSecond).complete()
        case .p99: summary.repetitions.map { $0.p99.map { Double($0) } }.complete()
        case .hitRatio: summary.repetitions.map(\.hitRatio).complete()
        case .originShare: summary.repetitions.map(\.originShare).complete()
        default:
            counted.map { phases in
                let figures = phases.compactMap { figure.value($0) }
                return figures.isEmpty ? nil : figures
            }.mostly().flatMap(\.self)
        }
    }
}

extension PhaseResult {
    fileprivate var instructionCounts: InstructionCounts? { latency.asCallersSee(.all)?.counts }
}

extension ScenarioPoint {
    fileprivate func without(_ dimension: SweepDimension) -> ScenarioPoint {
        var point = self
        point[dimension] = nil
        return point
    }
}
