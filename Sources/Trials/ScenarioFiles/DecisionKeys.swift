import TrialModel

/// The keys of a figure that decides between strategies.
struct DecisionKeys: ScenarioMapping {
    let metric = FileKey("metric", .word(Metric.self), required: \DecidingFigure.metric, "The metric.")
    let phase = FileKey("phase", .name, required: \DecidingFigure.phase, "The measured phase whose value counts.")
    let against = FileKey(
        "against", .name, \DecidingFigure.against, absent: "none",
        "A measured phase whose value is subtracted.")
    let operation = FileKey(
        "operation", TypedForm.word(OperationKind.self).map { kind, _ in Selection.only(kind) },
        \DecidingFigure.operation, absent: "all", "The operation, for times.")
    let outcome = FileKey(
        "outcome", TypedForm.word(Outcome.self).map { outcome, _ in Selection.only(outcome) },
        \DecidingFigure.outcome, absent: "all", "How the operation ended, for times.")
    let pool = FileKey(
        "pool", TypedForm.name.map { name, _ in Selection.only(name) }, \DecidingFigure.pool, absent: "all",
        "The pool of keys.")

    typealias Value = DecidingFigure

    /// One figure, or a list of two.
    static var form: TypedForm<[DecidingFigure]> {
        let one = TypedForm.mapping(DecisionKeys())
        let several = TypedForm.list(of: one, count: 1...2, called: "a list of one or two metrics")
        return TypedForm(form: .any([one.form, several.form])) { field in
            if case .sequence = field.node.content { several.read(field) } else { one.read(field).map { [$0] } }
        }
    }

    /// Reports what a figure names and the scenario does not have.
    static func check(
        _ figures: [DecidingFigure], of scenario: Scenario, _ report: (_ found: String, _ allowed: String) -> Void
    ) {
        for figure in figures {
            for name in [figure.phase, figure.against].compactMap(\.self) {
                let measured = scenario.phases.filter { !$0.warmUp }
                guard let phase = measured.first(where: { $0.name == name }) else {
                    report("phase \(ScenarioMessage.quote(name))", ScenarioMessage.list(measured.map(\.name)))
                    continue
                }
                if case .only(let operation) = figure.operation, phase.frames == nil, phase.mix[operation] == 0 {
                    report("\(operation.rawValue), which \(name) does not send", "an operation of its mix")
                }
                if let reason = figure.metric.absence(in: phase) {
                    report("\(figure.metric.rawValue) of \(name)", "a metric that the phase has: \(reason)")
                }
            }
            if case .only(let pool) = figure.pool, !scenario.pools.contains(where: { $0.name == pool }) {
                report("pool \(ScenarioMessage.quote(pool))", "a pool of the scenario")
            }
        }
    }
}
