import CacheStrategies
import HistoryChecking
import TrialModel

/// A caller of a schedule of threads: runs the script's operations on the strategy, and records the results.
struct ThreadCaller<Strategy: SynchronousCacheStrategy> where Strategy.Key == Int, Strategy.Value == ScriptedValue {
    let strategy: Strategy
    /// The caller's number, from 0.
    let caller: Int
    let recorder: ScheduleRecorder
    let origin: ThreadOrigin

    /// Runs one operation to its end.
    func perform(_ operation: ScriptedOperation) {
        let key = operation.key
        switch operation.kind {
        case .load: load(key)
        case .failingLoad: load(key, fails: true)
        // The caller gives up while its own fetch is in flight: nothing else interrupts a waiting thread.
        case .cancelledLoad: load(key, isGivenUp: true)
        case .read:
            recorder.call(.read, key: key, caller: caller)
            let value = strategy.value(forKey: Int(key))
            recorder.finish(caller: caller, outcome: value == nil ? .miss : .hit, value: value)
        case .write:
            let value = ScriptedValue(key: key, version: recorder.nextWrite(caller: caller))
            recorder.call(.write, key: key, caller: caller, version: value.version)
            strategy.insert(value, forKey: Int(key), cost: value.cost)
            recorder.finish(caller: caller, outcome: .done)
        case .remove:
            recorder.call(.remove, key: key, caller: caller)
            strategy.removeValue(forKey: Int(key))
            recorder.finish(caller: caller, outcome: .done)
        case .clear:
            recorder.call(.clear, key: 0, caller: caller)
            strategy.removeAll()
            recorder.finish(caller: caller, outcome: .done)
        case .expire: recorder.expire()
        case .statistics:
            let moment = recorder.requestStatistics()
            recorder.answerStatistics(requestedAt: moment, strategy.statistics())
        }
    }

    private func load(_ key: UInt32, fails: Bool = false, isGivenUp: Bool = false) {
        recorder.call(.load, key: key, caller: caller, mayGiveUp: isGivenUp)
        do {
            let loaded = try strategy.loadBlocking(Int(key)) {
                try origin.fetch(key, fails: fails, isGivenUp: isGivenUp)
            }
            recorder.finish(caller: caller, outcome: loaded.outcome.recorded, value: loaded.value)
        } catch {
            recorder.finish(caller: caller, outcome: error is CancellationError ? .cancelled : .failed)
        }
    }

    /// Checks the state that the callers left behind; see ``ScriptedCaller/probe(keyCount:)``.
    ///
    /// - Parameter keyCount: the number of keys for which a load must fetch again.
    func probe(keyCount: Int) {
        recorder.probeLoads(inFlight: strategy.statistics().loadsInFlight)
        for key in 0..<UInt32(clamping: keyCount) {
            let before = origin.fetchCount
            strategy.removeValue(forKey: Int(key))
            let position = recorder.beginProbe(of: key)
            let ended = Result {
                try strategy.loadBlocking(Int(key)) { try origin.fetch(key, fails: false, isGivenUp: false) }.outcome
            }
            recorder.endProbe(position, of: key, ended, hasFetched: origin.fetchCount != before)
        }
    }
}
