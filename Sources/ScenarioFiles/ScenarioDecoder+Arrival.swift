import TrialModel

/// When the operations of a phase are sent.
extension ScenarioDecoder {
    mutating func arrival(_ field: Field) -> Arrival? {
        if case .scalar(let text, _) = field.node.content {
            switch text {
            case "closed": return .closed
            case "trace": return tracedArrival(field)
            default:
                let courses = ScenarioKeys.ArrivalCourse.allCases.map(\.rawValue)
                let hint = courses.contains(text) ? "write it with its rate: { \(text): 1000 }" : nil
                report(
                    field, allowed: ScenarioKeys.arrival.allowed,
                    hint: hint ?? didYouMean(field, in: ["closed", "trace"] + courses))
                return nil
            }
        }
        guard let fields = fields(field, keys: ScenarioKeys.openArrival) else { return nil }
        let present = ScenarioKeys.ArrivalCourse.allCases.filter { fields[$0.rawValue] != nil }
        guard present.count == 1, let course = present.first, let value = fields[course.rawValue] else {
            if !fields.hasUnknownKeys || present.count > 1 {
                report(
                    field, found: present.isEmpty ? nil : ScenarioMessage.list(present.map(\.rawValue)),
                    allowed: "one of \(ScenarioMessage.list(ScenarioKeys.ArrivalCourse.allCases.map(\.rawValue)))")
            }
            return nil
        }
        var spacing: ArrivalSpacing? = course == .poisson ? .poisson : .even
        if let place = fields["spacing"] {
            spacing = word(place, as: ArrivalSpacing.self)
            if course == .constant || course == .poisson {
                report(
                    place, found: "a spacing with \(course.rawValue)", allowed: "only with ramp, steps and spikes",
                    hint: "constant is even, and poisson is not")
                return nil
            }
        }
        guard let rate = rate(course, value), let spacing else { return nil }
        return .open(rate, spacing)
    }

    private mutating func tracedArrival(_ field: Field) -> Arrival? {
        guard case .trace(let facts) = keySource else {
            report(field, allowed: "only with a trace in keys")
            return nil
        }
        // A trace that can't be read has been reported already.
        if let facts, !facts.hasTimes {
            report(field, allowed: "only with a trace that has times")
            return nil
        }
        return .trace
    }

    private mutating func rate(_ course: ScenarioKeys.ArrivalCourse, _ field: Field) -> ArrivalRate? {
        switch course {
        case .constant, .poisson: fraction(field, ScenarioLimits.rate).map(ArrivalRate.constant)
        case .ramp: ramp(field)
        case .steps: steps(field)
        case .spikes: spikes(field)
        }
    }

    private mutating func ramp(_ field: Field) -> ArrivalRate? {
        guard let fields = fields(field, keys: ScenarioKeys.ramp) else { return nil }
        let first = fields["from"].flatMap { fraction($0, ScenarioLimits.rate) }
        let last = fields["to"].flatMap { fraction($0, ScenarioLimits.rate) }
        let time = fields["over"].flatMap { amount($0, ScenarioLimits.arrivalTime) }
        guard let first, let last, let time else { return nil }
        return ArrivalRate(pieces: [.init(nanoseconds: time, first: first, last: last)], repeats: false)
    }

    private mutating func steps(_ field: Field) -> ArrivalRate? {
        let allowed = "a list of { rate, for }"
        guard let elements = elements(field, count: ScenarioLimits.arrivalSteps, allowed: allowed) else { return nil }
        var pieces: [ArrivalRate.Piece] = []
        for element in elements {
            guard let fields = fields(element, keys: ScenarioKeys.step) else { continue }
            let rate = fields["rate"].flatMap { fraction($0, ScenarioLimits.rate) }
            let time = fields["for"].flatMap { amount($0, ScenarioLimits.arrivalTime) }
            if let rate, let time { pieces.append(.init(nanoseconds: time, first: rate, last: rate)) }
        }
        guard pieces.count == elements.count else { return nil }
        return ArrivalRate(pieces: pieces, repeats: false)
    }

    private mutating func spikes(_ field: Field) -> ArrivalRate? {
        guard let fields = fields(field, keys: ScenarioKeys.spikes) else { return nil }
        let base = fields["rate"].flatMap { fraction($0, ScenarioLimits.rate) }
        let peak = fields["peak"].flatMap { fraction($0, ScenarioLimits.rate) }
        let every = fields["every"].flatMap { amount($0, ScenarioLimits.arrivalTime) }
        let width = fields["width"].flatMap { amount($0, ScenarioLimits.arrivalTime) }
        guard let base, let peak, let every, let width, let place = fields["width"] else { return nil }
        guard width < every else {
            report(place, allowed: "less than every, \(AmountUnit.text(every, kind: .time))")
            return nil
        }
        return ArrivalRate(
            pieces: [
                .init(nanoseconds: every - width, first: base, last: base),
                .init(nanoseconds: width, first: peak, last: peak),
            ], repeats: true)
    }

    /// What an open phase can't have, and how many operations it would send.
    mutating func checkArrival(_ fields: Fields, arrival: Arrival, length: PhaseLength?) {
        guard arrival.isOpen else { return }
        if let place = fields["think-time"] {
            report(
                place, found: "a think-time beside an open arrival", allowed: "only with arrival: closed",
                hint: "the arrival says when operations are due")
        }
        guard case .open(let rate, _) = arrival, case .duration(let nanoseconds) = length else { return }
        let most = Double(nanoseconds) / 1e9 * rate.highest
        let limit = ScenarioLimits.operations.range.upperBound
        if most > Double(limit) {
            report(
                fields.place(of: "arrival"), found: "up to \(UInt64(min(most, 1e18))) operations",
                allowed: "at most \(limit) in a phase", hint: "a lower rate, or a shorter phase")
        }
    }
}
