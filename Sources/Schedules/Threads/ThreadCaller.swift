import CacheStrategies
import HistoryChecking
import TrialModel

/// A caller of a schedule of threads: asks the strategy for what the script says, and writes down what it got.
struct ThreadCaller<Strategy: SynchronousCacheStrategy> where Strategy.Key == Int, Strategy.Value == ScriptedValue {
    let strategy: Strategy
    /// The caller's number, from 0.
    let caller: Int
    let recorder: ScheduleRecorder
    let origin: ThreadOrigin

    /// Does one operation to its end.
    func perform(_ operation: ScriptedOperation) {
        let key = operation.key
        switch operation.kind {
        case .load: load(key)
        case .failingLoad: load(key, fails: true)
        // The caller gives up while its own fetch is under way: nothing else interrupts a thread that waits.
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
        }
    }

    private func load(_ key: UInt32, fails: Bool = false, isGivenUp: Bool = false) {
        recorder.call(.load, key: key, caller: caller, mayGiveUp: isGivenUp)
        do {
            let loaded = try strategy.loadBlocking(Int(key)) {
                try origin.fetch(key, fails: fails, isGivenUp: isGivenUp)
            }
            recorder.finish(caller: caller, outcome: Outcome(loaded.outcome), value: loaded.value)
        } catch {
            recorder.finish(caller: caller, outcome: error is CancellationError ? .cancelled : .failed)
        }
    }

    /// Looks at what the callers have left behind; see ``EndProbe``.
    ///
    /// - Parameter keyCount: for how many keys a load has to fetch anew.
    func probe(keyCount: Int) {
        if let count = strategy.statistics().loadsInFlight, count != 0 {
            recorder.note(.leakedLoads(count))
        }
        for key in 0..<UInt32(clamping: keyCount) {
            let before = origin.fetchCount
            strategy.removeValue(forKey: Int(key))
            // Found when the load returns; when it never does, this stays.
            let position = recorder.endFindings.count
            recorder.note(.lateLoad(key, .lost))
            do {
                let loaded = try strategy.loadBlocking(Int(key)) {
                    try origin.fetch(key, fails: false, isGivenUp: false)
                }
                recorder.dropEndFinding(at: position)
                guard origin.fetchCount == before else { continue }
                recorder.note(.lateLoad(key, loaded.outcome == .hit ? .found : .unfetched))
            } catch {
                recorder.dropEndFinding(at: position)
                recorder.note(.lateLoad(key, .failed("\(error)")))
            }
        }
    }
}
