import TrialModel

extension ScenarioKeys {
    static let arrival = ScenarioForm.any([
        .choice(["closed", "trace"]), .mapping(openArrival, rule: .exactlyOne(ArrivalCourse.allCases.map(\.rawValue))),
    ])

    /// The courses that a rate of arrivals may take.
    enum ArrivalCourse: String, CaseIterable {
        case constant, poisson, ramp, steps, spikes
    }

    static let openArrival: [ScenarioKey] = [
        .optional(
            "constant", rate, default: "none", "The same rate all the time, in operations a second, evenly spaced."),
        .optional(
            "poisson", rate, default: "none",
            "The same rate all the time, in operations a second, with the gaps of independent callers."),
        .optional("ramp", .mapping(ramp), default: "none", "From one rate to another, evenly; then the latter."),
        .optional(
            "steps", .list(of: .mapping(step), count: ScenarioLimits.arrivalSteps), default: "none",
            "One rate after the other; the last one stays."),
        .optional("spikes", .mapping(spikes), default: "none", "A rate with regular peaks."),
        .optional(
            "spacing", .choice(ArrivalSpacing.allCases.map(\.rawValue)), default: "even",
            "With ramp, steps and spikes: even, or poisson for the gaps of independent callers."),
    ]

    private static let rate = ScenarioForm.fraction(ScenarioLimits.rate)

    static let ramp: [ScenarioKey] = [
        .required("from", rate, "The rate at the start, in operations a second."),
        .required("to", rate, "The rate at the end, in operations a second."),
        .required("over", .amount(ScenarioLimits.arrivalTime), "How long it takes from one to the other."),
    ]

    static let step: [ScenarioKey] = [
        .required("rate", rate, "In operations a second."),
        .required("for", .amount(ScenarioLimits.arrivalTime), "How long the rate stays."),
    ]

    static let spikes: [ScenarioKey] = [
        .required("rate", rate, "The rate between the peaks, in operations a second."),
        .required("peak", rate, "The rate in a peak, in operations a second."),
        .required("every", .amount(ScenarioLimits.arrivalTime), "From the end of a peak to the end of the next."),
        .required("width", .amount(ScenarioLimits.arrivalTime), "How long a peak is; less than every."),
    ]
}
