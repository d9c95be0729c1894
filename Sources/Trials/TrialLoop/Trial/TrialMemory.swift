import CacheStrategies
import Measurement
import Origins
import TimedStrategies
import TrialModel

/// The memory that a strategy leaves behind when its trial is over.
extension TrialExecution {
    /// Empties the strategy, drops it, and adds what remained after each step to the last phase's memory row.
    func finish(_ state: State, _ result: inout PhaseResult) async {
        let isMeasured = specification.purpose == .times
        let full = isMeasured ? await settledBytes() : nil
        guard !usesSharedServer else {
            // A cache that others also use is neither emptied nor filled; its entries end with their lifetime.
            return await drop(state)
        }
        if isMeasured { result.trial.note(excess: await contents(of: state)?.excess()) }
        let held = await empty(state)
        let emptied = isMeasured ? await settledBytes() : nil
        await drop(state)
        guard isMeasured else { return }
        let dropped = await settledBytes()
        var sample = PayloadSample(state.payloads, keyCount: state.sizes.count)
        result.memory?.bytesAfterRemoveAll = emptied
        result.memory?.bytesPerEntry = bytesPerEntry(full: full, dropped: dropped, held, sample)
        result.memory?.bytesAfterDrop = await dropFull(state, &sample) ?? dropped
    }

    /// Removes all entries; returns the strategy's statistics from before.
    private func empty(_ state: State) async -> CacheStatistics? {
        guard let strategy = state.strategy else { return nil }
        let held = await state.call(Self.statisticsCall) { await strategy.statistics() }
        if state.history != nil {
            // This comes last: looking up every key may change the figures of the last phase and of a full cache.
            state.contents = await contents(of: state, passTimeMax: .seconds(5))?.findings() ?? []
        }
        await state.call("a removal of all keys") {
            await strategy.removeAll()
            // This waits for removals in the background.
            _ = await strategy.statistics()
        }
        return held
    }

    /// What the strategy holds, looked up for a short time, because every trial is ranked by it.
    private func contents(of state: State, passTimeMax: Duration = .milliseconds(200)) -> FinalContents? {
        state.strategy.map { strategy in
            FinalContents(
                strategy: strategy, declaration: declaration, scenario: scenario, origin: state.origin,
                passTimeMax: passTimeMax)
        }
    }

    /// Closes the strategy and drops it.
    func drop(_ state: State) async {
        await state.call("a call of close") {
            await state.strategy?.close()
            state.strategy = nil
        }
    }

    /// The memory of an entry beyond its value, in this process or in a server of the strategy. It is `nil` where the
    /// strategy doesn't know how many entries it held, or keeps them on disk, where it can't be seen from outside how
    /// many of them are also in memory.
    private func bytesPerEntry(
        full: UInt64?, dropped: UInt64?, _ held: CacheStatistics?, _ sample: PayloadSample
    ) -> Double? {
        if let outside = held?.outsideBytes, let entries = held?.entryCount, entries > 0 {
            let beyond = Double(outside) / Double(entries) - sample.meanCost
            return beyond >= 0 ? beyond : nil
        }
        guard declaration.promises.durability == .none, declaration.reach == .oneMachine, let full, let dropped,
            full >= dropped,
            let entries = held?.entryCount, entries > 0, let allocatedBytesPerCost = sample.allocatedBytesPerCost
        else { return nil }
        let cost = held?.totalCost.map(Double.init) ?? Double(entries) * sample.meanCost
        let beyond = (Double(full - dropped) - cost * allocatedBytesPerCost) / Double(entries)
        return beyond >= 0 ? beyond : nil
    }

    /// Puts some values into a new instance and drops the full instance: a strategy that was emptied first hides what
    /// dropping a full one leaks.
    ///
    /// - Returns: the allocated bytes afterwards; `nil` when there is no new instance.
    private func dropFull(_ state: State, _ sample: inout PayloadSample) async -> UInt64? {
        state.strategy = try? open(state)
        guard await fill(state, sample) else { return nil }
        sample.removeAll()
        await drop(state)
        return await settledBytes()
    }

    /// Whether two readings differ by no more than what reading and waiting themselves allocate.
    private static func agree(_ first: UInt64?, _ second: UInt64?) -> Bool {
        guard let first, let second else { return true }
        return max(first, second) - min(first, second) <= 4096
    }

    /// The allocated bytes, once two readings agree: a thread that has ended, or work in the background, frees its
    /// memory a moment later. Waits 0.1 s at most.
    private func settledBytes() async -> UInt64? {
        var last = MemoryMeter.read().allocatedBytes
        for _ in 0..<25 {
            try? await Task.sleep(for: .milliseconds(4))
            let now = MemoryMeter.read().allocatedBytes
            if Self.agree(last, now) { return now }
            last = now
        }
        return last
    }

    /// This is a separate function, so that no variable holds the strategy or a value any longer.
    private func fill(_ state: State, _ sample: PayloadSample) async -> Bool {
        guard let strategy = state.strategy else { return false }
        for (key, payload) in sample.values {
            await strategy.insert(UInt32(clamping: key), payload)
        }
        // This waits for inserts in the background.
        _ = await strategy.statistics()
        return true
    }
}

/// Some of a scenario's values, and the memory that they take without any cache.
struct PayloadSample: Sendable {
    private(set) var values: [(key: Int, payload: Payload)] = []
    /// Bytes that the allocator hands out for each byte of cost, including headers and rounding. `nil` when it can't be
    /// measured.
    private(set) var allocatedBytesPerCost: Double?
    /// The mean cost of a value in bytes.
    private(set) var meanCost: Double = 0

    /// The most values in the sample, and the most bytes that they may cost together.
    private static let countMax = 512
    private static let costMax = 1 << 20

    /// Makes values of evenly spaced keys. Takes a few milliseconds, and longer for pictures.
    ///
    /// - Parameter keyCount: how many keys the scenario has.
    init(_ payloads: PayloadFactory, keyCount: Int) {
        let count = min(max(keyCount, 0), Self.countMax)
        guard count > 0 else { return }
        values.reserveCapacity(count)
        // The first value pays for one-time set-up.
        _ = Self.loaded(0, payloads)
        let before = MemoryMeter.read().allocatedBytes
        var cost = 0
        for index in 0..<count where cost < Self.costMax {
            let key = index * (keyCount / count)
            values.append((key, Self.loaded(UInt64(key), payloads)))
            cost += values.last?.payload.cost ?? 0
        }
        let after = MemoryMeter.read().allocatedBytes
        meanCost = Double(cost) / Double(values.count)
        guard let before, let after, after > before, cost > 0 else { return }
        allocatedBytesPerCost = Double(after - before) / Double(cost)
    }

    /// A value as a load makes it: decoded, because an array that was built piece by piece may have more memory.
    private static func loaded(_ key: UInt64, _ payloads: PayloadFactory) -> Payload {
        let decoded = try? Payload(encoded: payloads.encoded(key: key, version: 1))
        return decoded ?? payloads.payload(key: key, version: 1)
    }

    /// Releases the values.
    mutating func removeAll() { values = [] }
}
