import TrialModel

/// The keys of a phase.
struct PhaseKeys: MappingKeys {
    let name = FileKey(
        "name", .name, required: \Phase.name, "The phase's name, unique in its scenario; every row shows it.")
    let duration = FileKey(
        "duration", .amount(.time(1_000_000...AmountLimit.day, "2 s")),
        absent: "none; duration, operations or frames is required",
        "The phase ends after this time; operations in flight are finished.")
    let operations = FileKey<Int>(
        "operations", .count(ScenarioLimits.operations), absent: "none; duration, operations or frames is required",
        "The phase ends after this many operations, split evenly between the clients. A burst is one operation.")
    let clients = FileKey(
        "clients", .count(1...512), \Phase.clients,
        "How many clients send operations; each waits for its answer before it sends the next one.")
    let arrival = FileKey(
        "arrival", .arrival, \Phase.arrival,
        "When operations are sent. closed: as soon as a client has its answer. Otherwise (open loop) "
            + "at due times that do not depend on answers; clients then limits the operations in flight.")
    let driver = FileKey(
        "driver", .word(DriverChoice.self), \Phase.driver,
        "What runs a client. automatic: threads for a synchronous strategy, tasks for an asynchronous one.")
    let thinkTime = FileKey(
        "think-time", .distribution(.time(0...AmountLimit.minute, "1 ms")), \Phase.thinkTime, absent: "0 ms",
        "The pause of a client between an answer and its next operation; not timed.")
    let mix = FileKey(
        "mix", .mixOfPhase, absent: "none; required unless each pool of the phase has a mix, or the phase has frames",
        "How often each operation is sent, relative to the others. trace: the trace decides; its reads are loads.")
    let burstWidth = FileKey("burst-width", .count(2...512), \Phase.burstWidth, "How many callers a burst has.")
    let cancel = FileKey(
        "cancel", .mapping(CancelKeys()), \Phase.cancel, absent: "none",
        "Loads that their callers cancel while in flight.")
    let expect = FileKey(
        "expect", .mapping(ExpectKeys(isOfPool: false)), default: { _, _, _ in [] }, absent: "nothing",
        "What every candidate must show in the phase; otherwise the run fails with exit code 1.")
    let pools = FileKey(
        "pools", PoolUseKeys.list, absent: "all pools of the scenario, with the phase's mix",
        "The pools that the phase uses.")
    let keys = FileKey(
        "keys", SelectionKeys.form, \Phase.keys, absent: "the scenario's", "The phase's own choice of keys.")
    let warmUp = FileKey("warm-up", .truth, \Phase.warmUp, "Whether the phase is run but not measured.")
    let reopen = FileKey(
        "reopen", .truth, \Phase.reopen,
        "Whether the strategy is closed and reopened before the phase, as when an app is launched again.")
    let memoryPressure = PressureKeys.ofPhase
    let invalidate = InvalidationKeys.ofPhase
    let offline = FileKey(
        "offline", .truth, \Phase.offline,
        "Whether the origin refuses every request, as without a network; only cached values are available.")
    let frames = FramesKeys.ofPhase
    let prefetch = PrefetchKeys.ofPhase
    let script = FileKey(
        "script", .script, \Phase.script, absent: "none",
        "The operations of each caller, in sequence; replaces all keys but the name; only for explore.")

    var rule: ScenarioForm.Rule { .exactlyOne([duration.name, operations.name, frames.name, script.name]) }

    /// The list of phases, checked one by one and as a whole.
    static var list: TypedForm<[Phase]> {
        let keys = PhaseKeys()
        let count: ClosedRange<UInt64> = 1...100
        return TypedForm(form: .list(of: keys.form, count: .count(count))) { field in
            field.elements(count: count, called: "a list of phases").flatMap { keys.phases(field, $0) }
        }
    }

    private func phases(_ field: Field, _ elements: [Field]) -> [Phase]? {
        var phases: [Phase] = []
        var warmUps = 0
        for (index, element) in elements.enumerated() {
            guard let fields = element.fields(self) else { continue }
            let hasName = fields.uniqueName(name) != nil
            let phase = fields.has(script) ? scripted(fields) : phase(fields)
            if fields[warmUp] == true { warmUps += 1 }
            if index == 0, fields[reopen] == true {
                fields.report(reopen, allowed: "false in the first phase", hint: "the strategy has just been opened")
            }
            checkPressure(fields, isFirst: index == 0)
            if hasName, let phase { phases.append(phase) }
        }
        if warmUps == elements.count {
            field.report(found: "only warm-up phases", allowed: "at least one phase that is measured")
        }
        guard phases.count == elements.count else { return nil }
        checkTotals(field, phases: phases)
        return phases
    }

    /// A phase whose clients send a mix, or whose only client scrolls a list: the scroll then determines its length, and
    /// every operation is a load.
    private func phase(_ fields: Fields) -> Phase? {
        let phase: Phase? = fields.value(of: declaredKeys)
        let loads = fields.has(frames) ? OperationMix([.load: 1]) : nil
        let length = loads == nil ? length(fields) : fields[frames].map { .duration(nanoseconds: $0.nanoseconds) }
        let workload = workload(fields, implied: loads)
        let expectations = fields[expect]?(
            loads ?? workload?.mix, loads == nil ? fields[arrival] : .closed, loads != nil)
        if loads == nil { checkInvalidation(fields, workload?.mix, length) }
        if let loads { checkFrames(fields, workload, loads) } else { check(fields, length: length, workload: workload) }
        if fields.has(expect) || workload?.expectations.isEmpty == false, fields[warmUp] == true {
            let place: any DeclaredKey = fields.has(expect) ? expect : pools
            fields.report(place, found: "an expectation of a warm-up", allowed: "only in phases that are measured")
        }
        guard var phase, let length, let workload, let expectations else { return nil }
        phase.length = length
        phase.mix = loads ?? workload.mix
        phase.pools = workload.pools
        phase.expectations = expectations + workload.expectations
        if phase.mix[.prefetch] > 0 { phase.prefetching = phase.prefetching ?? .defaults }
        return phase
    }

    /// A phase with a script: besides it, the phase may only have a name.
    private func scripted(_ fields: Fields) -> Phase? {
        let other = declaredKeys.filter { fields.has($0) && $0.name != name.name && $0.name != script.name }
            .min { $0.name < $1.name }
        if let other { fields.report(other, found: "\(other.name) together with a script", allowed: "only a name") }
        guard let script = fields[script], let name = fields[name], other == nil, !fields.hasUnknownKeys
        else { return nil }
        let kinds = script.callers.joined().map { (OperationKind(rawValue: $0.kind.rawValue) ?? .load, 1.0) }
        return Phase(
            name: name, length: .operations(max(1, script.operationCount)), clients: script.callers.count,
            mix: OperationMix(Dictionary(kinds) { first, _ in first })
        ).with { $0.script = script }
    }

    private func length(_ fields: Fields) -> PhaseLength? {
        switch (fields.has(duration), fields.has(operations)) {
        case (false, false): fields.field.report(found: "no length", allowed: "duration, operations or frames")
        case (true, true):
            fields.report(operations, found: "both duration and operations", allowed: "one of them")
        case (true, false): return fields[duration].map { .duration(nanoseconds: $0) }
        case (false, true): return fields[operations].map { .operations($0) }
        }
        return nil
    }

    /// The workload of a phase: its mix and its pools, or all pools when it names none.
    ///
    /// - Parameter implied: the mix of a phase that must not declare one.
    func workload(_ fields: Fields, implied: OperationMix? = nil) -> Workload? {
        let phaseMix = implied ?? fields[mix]
        func requireMix() { if implied == nil { fields.require(mix.declaration) } }
        guard case .pools(let pools) = fields.decoder.keySource else {
            requireMix()
            fields.refuse(self.pools, found: "pools of a phase", allowed: "only with pools at the top")
            return phaseMix.map { Workload(mix: $0) }
        }
        var workload: Workload
        if fields.has(self.pools) {
            guard let read = fields[self.pools]?(phaseMix, implied != nil || fields.has(mix), fields[arrival]),
                !fields.isBad(mix)
            else { return nil }
            workload = read
        } else {
            requireMix()
            guard let phaseMix, let pools else { return nil }
            workload = Workload(mix: phaseMix)
            workload.pools = pools.enumerated().map { index, pool in
                .defaults.with { ($0.pool, $0.weight, $0.mix) = (index, pool.keys.weight, phaseMix) }
            }
        }
        workload.pools = workload.pools.filter { $0.weight > 0 }.sorted { $0.pool < $1.pool }
        guard !workload.pools.isEmpty else {
            return fields.mistake(
                self.pools, found: "no weight above 0", allowed: "a weight above 0 for one of the pools")
        }
        workload.mix = OperationMix(of: workload.pools)
        return workload
    }
}

/// Checks that involve several values of a phase, or of all phases.
extension PhaseKeys {
    private func check(_ fields: Fields, length: PhaseLength?, workload: Workload?) {
        if let workload {
            checkMix(fields, workload)
            checkPrefetch(fields, workload.mix)
        }
        if let arrival = fields[arrival], arrival.isOpen { checkArrival(fields, arrival, length) }
        if let length, let clients = fields[clients] { checkLength(fields, length, clients: clients) }
    }

    /// Checks settings that need a kind of operation, and the number of callers and distributions.
    private func checkMix(_ fields: Fields, _ workload: Workload) {
        let mix = workload.mix
        if mix[.burst] == 0 {
            fields.refuse(burstWidth, found: "a burst-width without a burst", allowed: "only with burst in the mix")
        }
        if mix[.load] == 0 {
            fields.refuse(cancel, found: "a cancel without a load", allowed: "only with load in the mix")
        }
        guard let clients = fields[clients] else { return }
        // Each client has its own distributions for each pool; together they must not fill the memory.
        if clients * workload.pools.count > ScenarioLimits.clientPools {
            fields.report(
                self.clients, found: "\(clients) clients on \(workload.pools.count) pools",
                allowed: "at most \(ScenarioLimits.clientPools), clients times pools")
        }
        if mix[.burst] > 0, let width = fields[burstWidth], clients * width > ScenarioLimits.callers {
            fields.report(
                fields.has(burstWidth) ? burstWidth : self.clients, found: "\(clients) clients with bursts of \(width)",
                allowed: "at most \(ScenarioLimits.callers) callers in all")
        }
    }

    /// Checks what an open loop cannot have, and how many operations it would send.
    private func checkArrival(_ fields: Fields, _ arrival: Arrival, _ length: PhaseLength?) {
        fields.refuse(
            thinkTime, found: "a think-time together with an open arrival", allowed: "only with arrival: closed",
            hint: "the arrival determines when operations are due")
        guard case .open(let rate, _) = arrival, case .duration(let nanoseconds) = length else { return }
        let most = Double(nanoseconds) / 1e9 * rate.highest
        let limit = ScenarioLimits.operations.upperBound
        if most > Double(limit) {
            fields.report(
                self.arrival, found: "up to \(UInt64(min(most, 1e18))) operations",
                allowed: "at most \(limit) in a phase", hint: "a lower rate, or a shorter phase")
        }
    }

    /// Checks that there are enough operations for all clients, and that think times leave time for operations.
    private func checkLength(_ fields: Fields, _ length: PhaseLength, clients: Int) {
        if case .operations(let operations) = length, operations < clients {
            fields.report(
                self.operations, found: "\(operations)", allowed: "at least \(clients)", hint: "one for each client")
        }
        guard fields.has(thinkTime), let longest = fields[thinkTime]?.largest else { return }
        switch length {
        case .operations(let operations):
            let limit = ScenarioLimits.scenarioTime
            if let total = ScenarioDecoder.product(operations / max(clients, 1), longest), limit.range.contains(total) {
                return
            }
            fields.report(
                thinkTime, found: "\(operations) operations with up to \(limit.text(longest)) before each",
                allowed: "at most \(limit.text(limit.range.upperBound)) of thinking in all")
        case .duration(let nanoseconds):
            guard longest >= nanoseconds else { return }
            fields.report(
                thinkTime, found: "up to \(AmountUnit.text(longest, kind: .time))",
                allowed: "less than the phase, \(AmountUnit.text(nanoseconds, kind: .time))")
        }
    }

    /// Checks the sums over all phases.
    private func checkTotals(_ field: Field, phases: [Phase]) {
        var operations: UInt64 = 0
        var time: UInt64 = 0
        // At most 100 phases, each within its limit: the sums stay far below 64 bits.
        for phase in phases {
            switch phase.length {
            case .operations(let count): operations += UInt64(clamping: count)
            case .duration(let nanoseconds): time += nanoseconds
            }
        }
        let most = ScenarioLimits.scenarioOperations
        if operations > most {
            field.report(found: "\(operations) operations", allowed: "at most \(most) in all phases")
        }
        let limit = ScenarioLimits.scenarioTime
        if !limit.range.contains(time) {
            field.report(
                found: limit.text(time), allowed: "at most \(limit.text(limit.range.upperBound)) in all phases")
        }
    }
}

struct CancelKeys: ScenarioMapping {
    typealias Value = Cancellation

    let share = FileKey(
        "share", .fraction(ScenarioLimits.share), required: \Cancellation.share,
        "The share of the loads that are cancelled.")
    let after = FileKey(
        "after", .amount(.time(0...AmountLimit.minute, "2 ms")), required: \Cancellation.after,
        "How long after its start a load is cancelled.")
}
