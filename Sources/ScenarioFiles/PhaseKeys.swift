import TrialModel

/// The keys of a phase.
struct PhaseKeys: MappingKeys {
    /// A phase with all defaults of the model.
    private static let plain = Phase(name: "", length: .operations(1), clients: 1, mix: OperationMix([:]))

    let name = FileKey("name", .name, "The phase's name, unique in its scenario; every row shows it.")
    let duration = FileKey(
        "duration", .amount(AmountLimit(.time, 1_000_000...AmountLimit.day, example: "2 s")),
        absent: "none; duration, operations or frames is required",
        "The phase ends after this time; operations in flight are finished.")
    let operations = FileKey<Int>(
        "operations", .count(ScenarioLimits.operations), absent: "none; duration, operations or frames is required",
        "The phase ends after this many operations, split evenly between the clients. A burst is one operation.")
    let clients = FileKey<Int>(
        "clients", .count(1...512), default: plain.clients,
        "How many clients send operations; each waits for its answer before it sends the next one.")
    let arrival = FileKey(
        "arrival", .arrival, default: plain.arrival,
        "When operations are sent. closed: as soon as a client has its answer. Otherwise (open loop) "
            + "at due times that do not depend on answers; clients then limits the operations in flight."
    )
    let driver = FileKey(
        "driver", .word(DriverChoice.self), default: plain.driver,
        "What runs a client. automatic: threads for a synchronous strategy, tasks for an asynchronous one.")
    let thinkTime = FileKey(
        "think-time", .distribution(AmountLimit(.time, 0...AmountLimit.minute, example: "1 ms")),
        default: plain.thinkTime, absent: "0 ms",
        "The pause of a client between an answer and its next operation; not timed.")
    let mix = FileKey(
        "mix", .mixOfPhase, absent: "none; required unless each pool of the phase has a mix, or the phase has frames",
        "How often each operation is sent, relative to the others. trace: the trace decides; its reads are loads.")
    let burstWidth = FileKey<Int>(
        "burst-width", .count(2...512), default: plain.burstWidth, "How many callers a burst has.")
    let cancel = FileKey(
        "cancel", .mapping(CancelKeys()), absent: "none", "Loads that their callers cancel while in flight.")
    let expect = FileKey(
        "expect", .mapping(ExpectKeys(isOfPool: false)), default: { _, _, _ in plain.expectations }, absent: "nothing",
        "What every sound strategy must show in the phase; otherwise the run fails with exit code 1.")
    let pools = FileKey(
        "pools", PoolUseKeys.list, absent: "all pools of the scenario, with the phase's mix",
        "The pools that the phase uses.")
    let keys = FileKey(
        "keys", SelectionKeys.form, default: plain.keys, absent: "the scenario's",
        "The phase's own choice of keys.")
    let warmUp = FileKey("warm-up", .truth, default: plain.warmUp, "Whether the phase is run but not measured.")
    let reopen = FileKey(
        "reopen", .truth, default: plain.reopen,
        "Whether the strategy is closed and reopened before the phase, as when an app is launched again.")
    let memoryPressure = FileKey<PressureLevel>(
        "memory-pressure", .word(PressureLevel.self), absent: "none",
        "The level of memory pressure that the cache gets soon after the phase has begun, while clients use it.")
    let offline = FileKey(
        "offline", .truth, default: plain.offline,
        "Whether the origin refuses every request, as without a network; only cached values are available.")
    let frames = FileKey(
        "frames", .mapping(FramesKeys()), absent: "none",
        "A list that scrolls on the main thread and loads its rows; in place of a length, clients and a mix.")
    let prefetch = FileKey(
        "prefetch", .mapping(PrefetchKeys()),
        absent: "none; with a prefetch in the mix, the defaults of its keys",
        "Which keys each prefetch of the mix announces, and how its use is measured. "
            + "Without a prefetch in the mix, the phase is the baseline."
    )
    let script = FileKey(
        "script", .script, absent: "none",
        "The operations of each caller, in sequence; replaces all keys but the name; only for explore.")

    var rule: ScenarioForm.Rule { .exactlyOne([duration.name, operations.name, frames.name, script.name]) }

    /// The list of phases, checked one by one and as a whole.
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

    /// Memory pressure needs entries to give back, and an earlier hit ratio to compare with.
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

    /// Whether a key is the plain word `true`, even in a phase that was not read.
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

    /// Checks that a warm-up has no expectations.
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
