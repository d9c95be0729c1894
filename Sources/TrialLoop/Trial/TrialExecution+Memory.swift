import CacheStrategies
import Measurement
import Origins
import TimedStrategies
import TrialModel

/// The memory that a strategy leaves behind when its trial is over.
extension TrialExecution {
    /// Empties the strategy, drops it, and adds what remained after each step to the last phase's memory row.
    func finish(_ slot: Slot, _ surroundings: Surroundings, _ result: inout PhaseResult) async {
        let isMeasured = specification.purpose == .times
        let full = isMeasured ? await settledBytes() : nil
        guard !usesSharedServer else {
            // A cache that others also use is neither emptied nor filled; its entries end with their lifetime.
            return await drop(slot)
        }
        let held = await empty(slot, surroundings)
        let emptied = isMeasured ? await settledBytes() : nil
        await drop(slot)
        guard isMeasured else { return }
        let dropped = await settledBytes()
        var sample = PayloadSample(surroundings.payloads, keyCount: surroundings.sizes.count)
        result.memory?.bytesAfterRemoveAll = emptied
        result.memory?.bytesPerEntry = bytesPerEntry(full: full, dropped: dropped, held, sample)
        result.memory?.bytesAfterDrop = await dropFull(slot, surroundings, &sample) ?? dropped
    }

    /// Removes all entries; returns the strategy's statistics from before.
    private func empty(_ slot: Slot, _ surroundings: Surroundings) async -> CacheStatistics? {
        guard let strategy = slot.strategy else { return nil }
        let held = await strategy.statistics()
        if slot.history != nil {
            // This comes last: looking up every key may change the figures of the last phase and of a full cache.
            slot.contents = await FinalContents(
                strategy: strategy, declaration: declaration, scenario: scenario, origin: surroundings.origin
            ).findings()
        }
        await strategy.removeAll()
        // This waits for removals in the background.
        _ = await strategy.statistics()
        return held
    }

    private func drop(_ slot: Slot) async {
        await slot.strategy?.close()
        slot.strategy = nil
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
    private func dropFull(_ slot: Slot, _ surroundings: Surroundings, _ sample: inout PayloadSample) async -> UInt64? {
        slot.strategy = try? open(surroundings)
        guard await fill(slot, sample) else { return nil }
        sample.removeAll()
        await drop(slot)
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
        for _ in 0..<10 {
            try? await Task.sleep(for: .milliseconds(10))
            let now = MemoryMeter.read().allocatedBytes
            if Self.agree(last, now) { return now }
            last = now
        }
        return last
    }

    /// This is a separate function, so that no variable holds the strategy or a value any longer.
    private func fill(_ slot: Slot, _ sample: PayloadSample) async -> Bool {
        guard let strategy = slot.strategy else { return false }
        for (key, payload) in sample.values {
            await strategy.insert(UInt32(clamping: key), payload)
        }
        // This waits for inserts in the background.
        _ = await strategy.statistics()
        return true
    }
}
