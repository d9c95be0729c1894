import CacheStrategies
import TrialModel

/// Checks the state after a schedule, once every caller has returned and no fetch is in flight.
struct EndProbe<Strategy: CacheStrategy>: Sendable where Strategy.Key == Int, Strategy.Value == ScriptedValue {
    let strategy: Strategy
    let recorder: ScheduleRecorder
    let origin: ScheduledOrigin

    /// Reads the strategy's count of loads in flight, then loads missing keys, each of which needs a new fetch.
    @concurrent
    func run(keyCount: Int) async {
        if let count = await strategy.statistics().loadsInFlight, count != 0 {
            recorder.note(.leakedLoads(count))
        }
        for key in 0..<UInt32(clamping: keyCount) { await load(key) }
    }

    @concurrent
    private func load(_ key: UInt32) async {
        let origin = origin
        let before = origin.fetchCount
        await strategy.removeValue(forKey: Int(key))
        // The finding is dropped when the load returns; if it never does, the finding stays.
        let position = recorder.endFindings.count
        recorder.note(.lateLoad(key, .lost))
        do {
            let loaded = try await strategy.load(Int(key)) { @concurrent in try await origin.fetch(key, fails: false) }
            recorder.dropEndFinding(at: position)
            guard origin.fetchCount == before else { return }
            recorder.note(.lateLoad(key, loaded.outcome == .hit ? .found : .unfetched))
        } catch {
            recorder.dropEndFinding(at: position)
            recorder.note(.lateLoad(key, .failed("\(error)")))
        }
    }
}
