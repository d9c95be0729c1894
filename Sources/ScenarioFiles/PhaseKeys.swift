import TrialModel

/// A phase.
struct PhaseKeys: MappingKeys {
    /// A phase of which nothing is said that the model has a default for.
    private static let plain = Phase(name: "", length: .operations(1), clients: 1, mix: OperationMix([:]))

    let name = FileKey("name", .name, "The phase's name, unique in its scenario; stands in every row.")
    let duration = FileKey(
        "duration", .amount(AmountLimit(.time, 1_000_000...AmountLimit.day, example: "2 s")),
        absent: "none; this, operations or frames is needed",
        "The phase ends after this time; operations under way are finished.")
    let operations = FileKey<Int>(
        "operations", .count(ScenarioLimits.operations), absent: "none; this, duration or frames is needed",
        "The phase ends after this many operations, split evenly between the clients. A burst is one operation.")
    let clients = FileKey<Int>(
        "clients", .count(1...512), default: plain.clients,
        "How many clients send operations, each waiting for its answer before it sends the next.")
    let arrival = FileKey(
        "arrival", .arrival, default: plain.arrival,
        "When operations are sent. closed: as soon as a client has its answer; otherwise at times that no answer delays, and clients says how many may be under way at once."
    )
    let driver = FileKey(
        "driver", .word(DriverChoice.self), default: plain.driver,
        "What carries a client. automatic: threads for a synchronous strategy, tasks for an asynchronous one.")
    let thinkTime = FileKey(
        "think-time", .distribution(AmountLimit(.time, 0...AmountLimit.minute, example: "1 ms")),
        default: plain.thinkTime, absent: "0 ms",
        "The pause of a client between an answer and its next operation; not timed.")
    let mix = FileKey(
        "mix", .mixOfPhase, absent: "none; required unless each of its pools has one, or there are frames",
        "How often each operation is sent, relative to the others. trace: what the trace says; its reads are loads.")
    let burstWidth = FileKey<Int>(
        "burst-width", .count(2...512), default: plain.burstWidth, "How many callers a burst has.")
    let cancel = FileKey("cancel", .mapping(CancelKeys()), absent: "none", "Loads that are given up on the way.")
    let expect = FileKey(
        "expect", .mapping(ExpectKeys(isOfPool: false)), default: { _, _, _ in plain.expectations }, absent: "nothing",
        "What the phase has to show with every sound strategy; otherwise the run fails with exit code 1.")
    let pools = FileKey(
        "pools", PoolUseKeys.list, absent: "all of the scenario, with the phase's mix",
        "The pools that the phase asks for.")
    let keys = FileKey(
        "keys", SelectionKeys.form, default: plain.keys, absent: "those of the scenario",
        "The phase's own choice of keys.")
    let warmUp = FileKey("warm-up", .truth, default: plain.warmUp, "Run, but not measured.")
    let reopen = FileKey(
        "reopen", .truth, default: plain.reopen,
        "Close the strategy and open it again before the phase, as an app that is launched again does.")
    let memoryPressure = FileKey<PressureLevel>(
        "memory-pressure", .word(PressureLevel.self), absent: "none",
        "What the system asks of the cache when the phase has begun, while its clients are at work.")
    let offline = FileKey(
        "offline", .truth, default: plain.offline,
        "The origin refuses every request, as without a network: what the cache has is all there is.")
    let frames = FileKey(
        "frames", .mapping(FramesKeys()), absent: "none",
        "A list scrolls on the main thread, and its rows are loaded; in place of a length, clients and a mix.")
    let prefetch = FileKey(
        "prefetch", .mapping(PrefetchKeys()),
        absent: "none; with a prefetch in the mix, the keys of this mapping are absent",
        "What each prefetch of the mix names, and what of it is looked at. Also without one: then the phase is the comparison."
    )
    let script = FileKey(
        "script", .script, absent: "none",
        "What each caller does, one thing after the other, in place of all but the name; only for run --explore.")

    var rule: ScenarioForm.Rule { .exactlyOne([duration.name, operations.name, frames.name, script.name]) }

    /// All phases, each for itself and all of them together.
    static var list: TypedForm<[Phase]> {
        let keys = PhaseKeys()
        let count: ClosedRange<UInt64> = 1...100
        return TypedForm(form: .list(of: keys.form, count: AmountLimit(.count, count))) { field in
            field.elements(count: count, called: "a list of phases").flatMap { keys.phases(field, $0) }
        }
    }

    private func phases(_ field: Field, _ elements: [Field]) -> [Phase]? {
        var phases: [Phase] = []
        var warmUps = 0
        for (index, element) in elements.enumerated() {
            guard let fields = element.fields(self) else { continue }
            let name = fields.uniqueName(name)
            let phase =
                fields.has(script)
                ? scripted(fields, name: name)
                : fields.has(frames) ? framed(fields, name: name) : self.phase(fields, name: name)
            if isTrue(fields, warmUp) { warmUps += 1 }
            if index == 0, isTrue(fields, reopen) {
                fields.report(reopen, allowed: "false in the first phase", hint: "the strategy has just been opened")
            }
            checkPressure(fields, isFirst: index == 0)
            if var phase {
                phase.memoryPressure = fields[memoryPressure]
                phases.append(phase)
            }
        }
        if warmUps == elements.count {
            field.report(found: "only warm-up phases", allowed: "at least one phase that is measured")
        }
        guard phases.count == elements.count else { return nil }
        checkTotals(field, phases: phases)
        return phases
    }

    /// There has to be something to give back, and a hit ratio to come back to.
    private func checkPressure(_ fields: Fields, isFirst: Bool) {
        if isFirst {
            fields.refuse(
                memoryPressure, found: "memory-pressure in the first phase", allowed: "only in a later phase",
                hint: "the cache is empty")
        } else if isTrue(fields, warmUp) {
            fields.refuse(
                memoryPressure, found: "memory-pressure in a warm-up", allowed: "only in phases that are measured")
        }
    }

    /// Whether a key is there as the plain word `true`, also in a phase that is not read.
    private func isTrue(_ fields: Fields, _ key: FileKey<Bool>) -> Bool {
        if case .scalar("true", isQuoted: false) = fields.field(key)?.node.content { true } else { false }
    }

    private func phase(_ fields: Fields, name: String?) -> Phase? {
        fields.readAll(self)
        let length = length(fields)
        let workload = workload(fields)
        let expectations = fields[expect]?(workload?.mix, fields[arrival], false)
        checkWarmUp(fields, workload)
        check(fields, length: length, workload: workload)
        checkPrefetch(fields, workload)
        guard let name, let length, let workload, let expectations, let clients = fields[clients],
            let arrival = fields[arrival], let driver = fields[driver], let thinkTime = fields[thinkTime],
            let burstWidth = fields[burstWidth], let keys = fields[keys], let warmUp = fields[warmUp],
            let reopen = fields[reopen], let offline = fields[offline]
        else { return nil }
        var phase = Phase(
            name: name, length: length, clients: clients, arrival: arrival, driver: driver, thinkTime: thinkTime,
            mix: workload.mix, pools: workload.pools, burstWidth: burstWidth, cancel: fields[cancel], keys: keys,
            warmUp: warmUp, reopen: reopen, offline: offline,
            expectations: expectations + workload.expectations)
        phase.prefetching = fields[prefetch] ?? (workload.mix[.prefetch] > 0 ? Prefetching() : nil)
        return phase
    }

    /// Nothing is expected of a warm-up.
    func checkWarmUp(_ fields: Fields, _ workload: Workload?) {
        guard fields.has(expect) || workload?.expectations.isEmpty == false, isTrue(fields, warmUp) else { return }
        let place: any DeclaredKey = fields.has(expect) ? expect : pools
        fields.report(place, found: "an expectation of a warm-up", allowed: "only in phases that are measured")
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

    /// The mix of a phase with its pools: those it names, or all of them.
    ///
    /// - Parameter implied: the mix of a phase that must not have one.
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
            workload.pools = pools.enumerated().map { PoolUse(pool: $0, weight: $1.keys.weight, mix: phaseMix) }
        }
        workload.pools = workload.pools.filter { $0.weight > 0 }.sorted { $0.pool < $1.pool }
        guard !workload.pools.isEmpty else {
            fields.report(self.pools, found: "no weight above 0", allowed: "a weight above 0 for one of the pools")
            return nil
        }
        workload.mix = OperationMix(of: workload.pools)
        return workload
    }
}

private struct CancelKeys: ScenarioMapping {
    let share = FileKey("share", .fraction(ScenarioLimits.share), "The share of the loads that are cancelled.")
    let after = FileKey(
        "after", .amount(AmountLimit(.time, 0...AmountLimit.minute, example: "2 ms")),
        "How long after its start a load is cancelled.")

    func value(of fields: Fields) -> Cancellation? {
        guard let share = fields[share], let after = fields[after] else { return nil }
        return Cancellation(share: share, after: after)
    }
}
