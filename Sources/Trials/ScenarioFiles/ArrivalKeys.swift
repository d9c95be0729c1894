import TrialModel

extension TypedForm<Arrival> {
    /// When the operations of a phase are sent.
    static var arrival: Self {
        let keys = ArrivalKeys()
        let form = ScenarioForm.any([.choice(["closed", "trace"]), keys.form])
        return Self(form: form) { field in
            guard case .scalar(let text, _) = field.node.content else { return field.fields(keys).flatMap(keys.value) }
            switch text {
            case "closed": return .closed
            case "trace": return field.tracedArrival()
            default:
                let hint = keys.courses.contains(text) ? "write it with its rate: { \(text): 1000 }" : nil
                return field.mistake(
                    allowed: form.allowed, hint: hint ?? field.didYouMean(in: ["closed", "trace"] + keys.courses))
            }
        }
    }
}

extension Field {
    fileprivate func tracedArrival() -> Arrival? {
        guard case .trace(let facts) = decoder.keySource else { return mistake(allowed: "only with a trace in keys") }
        // An unreadable trace has already been reported.
        if let facts, !facts.hasTimes {
            return mistake(allowed: "only with a trace that has times")
        }
        return .trace
    }
}

/// The possible courses of an arrival rate, and the spacing of operations.
private struct ArrivalKeys: MappingKeys {
    let constant = FileKey(
        "constant", TypedForm.fraction(ScenarioLimits.rate).map { rate, _ in ArrivalRate.constant(rate) },
        absent: "none", "A constant rate in operations per second, evenly spaced.")
    let poisson = FileKey(
        "poisson", TypedForm.fraction(ScenarioLimits.rate).map { rate, _ in ArrivalRate.constant(rate) },
        absent: "none", "A constant rate in operations per second, with the exponential gaps of independent callers.")
    let ramp = FileKey(
        "ramp", .mapping(RampKeys()), absent: "none", "A linear change from one rate to another, which then stays.")
    let steps = FileKey(
        "steps",
        TypedForm.list(of: .mapping(StepKeys()), count: 1...1000, called: "a list of { rate, for }")
            .map { pieces, _ in ArrivalRate(pieces: pieces, repeats: false) },
        absent: "none", "Rates in sequence; the last one stays.")
    let spikes = FileKey("spikes", .mapping(SpikesKeys()), absent: "none", "A rate with regular peaks.")
    let spacing = FileKey(
        "spacing", .word(ArrivalSpacing.self), default: .even,
        "For ramp, steps and spikes: even, or poisson for the exponential gaps of independent callers.")

    /// All keys but the spacing.
    var courses: [String] { declarations.map(\.name).filter { $0 != spacing.name } }
    var rule: ScenarioForm.Rule { .exactlyOne(courses) }

    func value(of fields: Fields) -> Arrival? {
        let present = courses.filter(fields.names.contains)
        guard present.count == 1, let course = present.first else {
            if !fields.hasUnknownKeys || present.count > 1 {
                fields.field.report(
                    found: present.isEmpty ? nil : ScenarioMessage.list(present),
                    allowed: "one of \(ScenarioMessage.list(courses))")
            }
            return nil
        }
        let spacing = fields[spacing]
        if fields.has(constant) || fields.has(poisson), fields.has(self.spacing) {
            return fields.mistake(
                self.spacing, found: "a spacing with \(course)", allowed: "only with ramp, steps and spikes",
                hint: "constant is even, and poisson is not")
        }
        let rate = [constant, poisson, ramp, steps, spikes].lazy.compactMap { fields[$0] }.first
        guard let rate, let spacing else { return nil }
        return .open(rate, fields.has(poisson) ? .poisson : spacing)
    }
}

private struct RampKeys: ScenarioMapping {
    let from = FileKey("from", .fraction(ScenarioLimits.rate), "The rate at the start, in operations per second.")
    let to = FileKey("to", .fraction(ScenarioLimits.rate), "The rate at the end, in operations per second.")
    let over = FileKey("over", .amount(ScenarioLimits.arrivalTime), "How long the change takes.")

    func value(of fields: Fields) -> ArrivalRate? {
        guard let first = fields[from], let last = fields[to], let time = fields[over] else { return nil }
        return ArrivalRate(pieces: [.init(nanoseconds: time, first: first, last: last)], repeats: false)
    }
}

private struct StepKeys: ScenarioMapping {
    let rate = FileKey("rate", .fraction(ScenarioLimits.rate), "The rate in operations per second.")
    let time = FileKey("for", .amount(ScenarioLimits.arrivalTime), "How long the rate stays.")

    func value(of fields: Fields) -> ArrivalRate.Piece? {
        guard let rate = fields[rate], let time = fields[time] else { return nil }
        return .init(nanoseconds: time, first: rate, last: rate)
    }
}

private struct SpikesKeys: ScenarioMapping {
    let rate = FileKey("rate", .fraction(ScenarioLimits.rate), "The rate between the peaks, in operations per second.")
    let peak = FileKey("peak", .fraction(ScenarioLimits.rate), "The rate in a peak, in operations per second.")
    let every = FileKey(
        "every", .amount(ScenarioLimits.arrivalTime), "The time from the end of a peak to the end of the next.")
    let width = FileKey("width", .amount(ScenarioLimits.arrivalTime), "How long a peak is; less than every.")

    func value(of fields: Fields) -> ArrivalRate? {
        guard let base = fields[rate], let top = fields[peak], let period = fields[every], let length = fields[width]
        else { return nil }
        guard length < period else {
            return fields.mistake(width, allowed: "less than every, \(AmountUnit.text(period, kind: .time))")
        }
        return ArrivalRate(
            pieces: [
                .init(nanoseconds: period - length, first: base, last: base),
                .init(nanoseconds: length, first: top, last: top),
            ], repeats: true)
    }
}
