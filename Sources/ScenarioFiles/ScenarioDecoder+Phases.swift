import TrialModel

extension ScenarioDecoder {
    /// The phases, each for itself and all of them together.
    mutating func phases(_ field: Field, keys: KeySpace?) -> [Phase]? {
        let allowed = "a list of phases"
        guard let elements = elements(field, count: ScenarioLimits.phases, allowed: allowed) else { return nil }
        var phases: [Phase] = []
        var lines: [String: Int] = [:]
        var warmUps = 0
        for (index, element) in elements.enumerated() {
            guard let fields = fields(element, keys: ScenarioKeys.phase) else { continue }
            let name = fields["name"].flatMap { uniqueName($0, lines: &lines) }
            let phase: Phase?
            if let script = fields["script"] {
                phase = scriptedPhase(script, fields, name: name, keys: keys)
            } else {
                phase = self.phase(fields, name: name, keys: keys)
            }
            if fields["warm-up"]?.node.isTrue == true { warmUps += 1 }
            if index == 0, let place = fields["reopen"], place.node.isTrue {
                report(place, allowed: "false in the first phase", hint: "the strategy has just been opened")
            }
            if let phase { phases.append(phase) }
        }
        if warmUps == elements.count {
            report(field, found: "only warm-up phases", allowed: "at least one phase that is measured")
        }
        guard phases.count == elements.count else { return nil }
        checkTotals(field, phases: phases)
        return phases
    }

    /// A name that none of its neighbours has.
    ///
    /// - Parameter lines: where the names so far stand; the name is added.
    mutating func uniqueName(_ place: Field, lines: inout [String: Int]) -> String? {
        guard let name = name(place) else { return nil }
        if let line = lines[name] {
            report(
                place, found: "\(name) a second time", allowed: "a name of its own", hint: "first on line \(line)")
            return nil
        }
        lines[name] = place.position.line
        return name
    }

    private mutating func phase(_ fields: Fields, name: String?, keys: KeySpace?) -> Phase? {
        let length = length(fields)
        let clients = fields["clients"].map { count($0, ScenarioLimits.clients) } ?? 1
        let arrival = fields["arrival"].map { self.arrival($0) } ?? .closed
        let driver = fields["driver"].map { word($0, as: DriverChoice.self) } ?? .automatic
        let thinkTime = fields["think-time"].map { distribution($0, ScenarioLimits.thinkTime) } ?? .fixed(0)
        let workload = workload(fields, arrival: arrival ?? nil)
        let burstWidth = fields["burst-width"].map { count($0, ScenarioLimits.burstWidth) } ?? 8
        let cancel = fields["cancel"].flatMap { self.cancel($0) }
        let expectations =
            fields["expect"].map { self.expectations($0, mix: workload?.mix, arrival: arrival ?? nil) } ?? []
        let isExpected = fields["expect"] != nil || workload?.expectations.isEmpty == false
        if isExpected, fields["warm-up"]?.node.isTrue == true {
            let place = fields.place(of: fields["expect"] == nil ? "pools" : "expect")
            report(place, found: "an expectation of a warm-up", allowed: "only in phases that are measured")
        }
        let selection = fields["keys"].map { self.selection($0, keys: keys) } ?? KeySelection()
        let isWarmUp = fields["warm-up"].map { truth($0) } ?? false
        let reopens = fields["reopen"].map { truth($0) } ?? false
        if let mix = workload?.mix { checkMix(fields, mix: mix, clients: clients, burstWidth: burstWidth) }
        if let workload, let clients { checkPools(fields, pools: workload.pools, clients: clients) }
        if let arrival { checkArrival(fields, arrival: arrival, length: length) }
        if let length, let clients { checkLength(fields, length: length, clients: clients, thinkTime: thinkTime) }
        guard let name, let length, let clients, let arrival, let driver, let thinkTime, let workload, let burstWidth,
            let selection, let expectations, let isWarmUp, let reopens
        else { return nil }
        return Phase(
            name: name, length: length, clients: clients, arrival: arrival, driver: driver, thinkTime: thinkTime,
            mix: workload.mix, pools: workload.pools, burstWidth: burstWidth, cancel: cancel, keys: selection,
            warmUp: isWarmUp, reopen: reopens, expectations: expectations + workload.expectations)
    }

    private mutating func length(_ fields: Fields) -> PhaseLength? {
        let duration = fields["duration"].map { amount($0, ScenarioLimits.duration) }
        let operations = fields["operations"].map { count($0, ScenarioLimits.operations) }
        switch (duration, operations) {
        case (nil, nil):
            report((fields.path, fields.position), found: "no length", allowed: "duration or operations")
            return nil
        case (.some, .some):
            report(fields.place(of: "operations"), found: "both duration and operations", allowed: "one of them")
            return nil
        case (.some(let duration), nil): return duration.map { .duration(nanoseconds: $0) }
        case (nil, .some(let operations)): return operations.map { .operations($0) }
        }
    }

    mutating func mix(_ field: Field) -> OperationMix? {
        if case .scalar("trace", isQuoted: false) = field.node.content {
            if keySource.isTrace { return .traced }
            report(field, allowed: "only with a trace in keys")
            return nil
        }
        guard let fields = fields(field, keys: ScenarioKeys.mix) else { return nil }
        var weights: [OperationKind: Double] = [:]
        var isSound = true
        for kind in OperationKind.allCases {
            guard let place = fields[kind.rawValue] else { continue }
            guard let weight = fraction(place, ScenarioLimits.weight) else {
                isSound = false
                continue
            }
            if weight > 0 { weights[kind] = weight }
        }
        guard isSound else { return nil }
        // A misspelt operation is reported by itself; then nothing is known of the sum.
        if weights.isEmpty, fields.hasUnknownKeys { return nil }
        guard !weights.isEmpty else {
            let kinds = ScenarioMessage.list(OperationKind.allCases.map(\.rawValue))
            report(field, found: "no weight above 0", allowed: "a weight above 0 for one of \(kinds)")
            return nil
        }
        return OperationMix(weights)
    }

    private mutating func cancel(_ field: Field) -> Cancellation? {
        guard let fields = fields(field, keys: ScenarioKeys.cancel) else { return nil }
        let share = fields["share"].flatMap { fraction($0, ScenarioLimits.share) }
        let after = fields["after"].flatMap { amount($0, ScenarioLimits.cancelAfter) }
        guard let share, let after else { return nil }
        return Cancellation(share: share, after: after)
    }
}
