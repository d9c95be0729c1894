import TrialModel

/// The rows of one swept scenario, from which its curves are made.
struct SweepRows {
    let dimension: SweepDimension
    let values: [Double]
    /// The names of the measured phases.
    let measured: Set<String>
    let times: TimesSource?
    /// The figures that may have been measured.
    let figures: [SweepFigure]
    private let marks: [String: String]
    private let exactPhases: [ScenarioPoint: Set<String>]
    private let names: [String]
    private let rows: [ScenarioPoint: [String: [PhaseResult]]]

    init(
        _ results: [PhaseResult], dimension: SweepDimension, marks: [String: String],
        exactPhases: [ScenarioPoint: Set<String>]
    ) {
        self.dimension = dimension
        self.marks = marks
        self.exactPhases = exactPhases
        values = Set(results.compactMap { $0.trial.key.trial.scenario[dimension] }).sorted()
        measured = Set(results.filter { !$0.latency.isEmpty }.map(\.trial.key.phase))
        times = TimesSource(results, measured: measured)
        var seen: Set<String> = []
        names = results.map(\.trial.key.trial.strategy).filter { seen.insert($0).inserted }
        rows = Dictionary(grouping: results, by: \.trial.key.trial.scenario)
            .mapValues { Dictionary(grouping: $0, by: \.trial.key.trial.strategy) }
        var counted: [SweepFigure] = []
        for result in results {
            guard let method = result.instructionCounts?.method else { continue }
            let figure = SweepFigure.instructions(phase: result.trial.key.phase, method)
            if !counted.contains(figure) { counted.append(figure) }
        }
        figures = counted.isEmpty ? Self.timed(dimension) : counted + [.hitRatio, .originShare]
    }

    /// The figure that the dimension changes most comes first.
    private static func timed(_ dimension: SweepDimension) -> [SweepFigure] {
        switch dimension {
        case .clients: [.throughput, .p99, .hitRatio, .originShare]
        case .originDelay, .rate: [.p99, .throughput, .hitRatio, .originShare]
        case .capacity, .zipf, .writeShare, .valueSize, .keys: [.hitRatio, .originShare, .throughput, .p99]
        }
    }

    /// The strategies, with the named ones first and bounds last.
    func strategies(startingWith first: [String]) -> [String] {
        var seen: Set<String> = []
        let all = (first + names).filter { seen.insert($0).inserted }
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
        var curves: [SweepFigure: [SweepCurve]] = [:]
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
            SweepCell(strategy: strategy, x: x, $0, measured, times, exactPhases: exactPhases[point] ?? [])
        }
    }

    private func curve(_ strategy: String, _ cells: [SweepCell], _ figure: SweepFigure) -> SweepCurve {
        let own = cells.filter { $0.summary.strategy == strategy }
        // The bound of the harness alone makes no lookups.
        let isSilent = strategy == Sweep.ceiling && figure.isCount
        let samples = own.compactMap { cell -> SweepSample? in
            let figures = isSilent ? [] : cell.figures(figure)
            let most = cells.first { $0.x == cell.x && $0.summary.strategy == Sweep.ceiling }?
                .figures(.throughput).median
            let isAtLeast =
                figure == .throughput && marks[strategy] == nil
                && most.map { (figures.median ?? 0) >= 0.95 * $0 } ?? false
            return SweepSample(x: cell.x, figures, isExact: cell.isExact(figure), isAtLeast: isAtLeast)
        }
        return SweepCurve(
            strategy: strategy, mark: marks[strategy], isSound: own.allSatisfy(\.summary.isRanked), samples: samples)
    }

    /// Candidates in the order of their figure at the last value, then bounds.
    private func ordered(_ curves: [SweepCurve], _ figure: SweepFigure) -> [SweepCurve] {
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
    private let counts: [String: [InstructionCounts]]
    private let areCountsExact: Bool

    init(
        strategy: String, x: Double, _ results: [PhaseResult], _ measured: Set<String>, _ times: TimesSource?,
        exactPhases: Set<String>
    ) {
        self.x = x
        summary = StrategySummary(strategy: strategy, results: results, measured: measured, times: times)
        let sound = Dictionary(grouping: results, by: \.trial.key.trial.repetition).values
            .filter { $0.allSatisfy { $0.trial.status == .completed } }.joined()
        let withLookups = sound.filter { $0.hitRate?.lookups ?? 0 > 0 && measured.contains($0.trial.key.phase) }
        areCountsExact = withLookups.allSatisfy { exactPhases.contains($0.trial.key.phase) }
        let optima = withLookups.map { $0.hitRate?.optimalHitRatio }.complete()
        optimum = optima.isEmpty ? nil : optima.reduce(0, +) / Double(optima.count)
        counts = Dictionary(grouping: sound, by: \.trial.key.phase)
            .mapValues { $0.compactMap(\.instructionCounts) }
    }

    /// The figure in each repetition that completed; empty where one repetition lacks it.
    func figures(_ figure: SweepFigure) -> [Double] {
        switch figure {
        case .throughput: summary.repetitions.map(\.operationsPerSecond).complete()
        case .p99: summary.repetitions.map { $0.p99.map { Double($0) } }.complete()
        case .hitRatio: summary.repetitions.map(\.hitRatio).complete()
        case .originShare: summary.repetitions.map(\.originShare).complete()
        case .instructions(let phase, let method):
            (counts[phase] ?? []).filter { $0.method == method }.map(\.instructions)
        }
    }

    /// Whether one repetition determines the figure.
    func isExact(_ figure: SweepFigure) -> Bool {
        switch figure {
        case .throughput, .p99: false
        case .hitRatio, .originShare: areCountsExact
        case .instructions(_, let method): method == .callgrind
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
