import CacheStrategies
import Foundation
import HistoryChecking
import TrialModel

/// A caller of a schedule: runs the script's operations on the strategy, and records the results.
struct ScriptedCaller<Strategy: CacheStrategy>: Sendable
where Strategy.Key == Int, Strategy.Value == ScriptedValue {
    let strategy: Strategy
    /// The caller's number, from 0.
    let caller: Int
    let recorder: ScheduleRecorder
    let origin: ScheduledOrigin

    /// Runs one operation to its end.
    @concurrent
    func perform(_ operation: ScriptedOperation) async {
        let key = Int(operation.key)
        switch operation.kind {
        case .load: await load(operation.key)
        case .failingLoad: await load(operation.key, fails: true)
        case .cancelledLoad:
            let operation = recorder.callCount(caller: caller)
            let load = Task { @concurrent in await self.load(UInt32(clamping: key), mayGiveUp: true) }
            Task { @concurrent in
                recorder.giveUp(caller: caller, operation: operation)
                load.cancel()
            }
            await load.value
        case .read:
            recorder.call(.read, key: operation.key, caller: caller)
            let value = await strategy.value(forKey: key)
            recorder.finish(caller: caller, outcome: value == nil ? .miss : .hit, value: value)
        case .write:
            let value = ScriptedValue(key: operation.key, version: recorder.nextWrite(caller: caller))
            recorder.call(.write, key: operation.key, caller: caller, version: value.version)
            await strategy.insert(value, forKey: key, cost: value.cost)
            recorder.finish(caller: caller, outcome: .done)
        case .remove:
            recorder.call(.remove, key: operation.key, caller: caller)
            await strategy.removeValue(forKey: key)
            recorder.finish(caller: caller, outcome: .done)
        case .clear:
            recorder.call(.clear, key: 0, caller: caller)
            await strategy.removeAll()
            recorder.finish(caller: caller, outcome: .done)
        case .expire: recorder.expire()
        case .statistics:
            let moment = recorder.requestStatistics()
            recorder.answerStatistics(requestedAt: moment, await strategy.statistics())
        }
    }

    @concurrent
    private func load(_ key: UInt32, fails: Bool = false, mayGiveUp: Bool = false) async {
        let origin = origin
        recorder.call(.load, key: key, caller: caller, mayGiveUp: mayGiveUp)
        do {
            let loaded = try await strategy.load(Int(key)) { @concurrent in try await origin.fetch(key, fails: fails) }
            recorder.finish(caller: caller, outcome: loaded.outcome.recorded, value: loaded.value)
        } catch {
            recorder.finish(caller: caller, outcome: error is CancellationError ? .cancelled : .failed)
        }
    }

    /// Checks the state that the callers left behind, once all of them have returned and no fetch is in flight: reads
    /// the strategy's count of loads in flight, then loads missing keys, each of which needs a new fetch.
    @concurrent
    func probe(keyCount: Int) async {
        recorder.probeLoads(inFlight: await strategy.statistics().loadsInFlight)
        let origin = origin
        for key in 0..<UInt32(clamping: keyCount) {
            let before = origin.fetchCount
            await strategy.removeValue(forKey: Int(key))
            let position = recorder.beginProbe(of: key)
            let ended: Result<LoadOutcome, any Error>
            do {
                let fetch: @Sendable () async throws -> Data = { @concurrent in
                    try await origin.fetch(key, fails: false)
                }
                ended = .success(try await strategy.load(Int(key), fetch: fetch).outcome)
            } catch {
                ended = .failure(error)
            }
            recorder.endProbe(position, of: key, ended, hasFetched: origin.fetchCount != before)
        }
    }
}
