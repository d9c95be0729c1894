import Foundation
import TrialModel

/// The origin of a schedule of threads: it answers when the order chooses to.
final class ThreadOrigin {
    private let recorder: ScheduleRecorder
    private let schedule: ThreadSchedule
    private var random = RandomSource(seed: 0)
    private var holds = true
    /// How many fetches have begun.
    private(set) var fetchCount: UInt64 = 0

    init(_ recorder: ScheduleRecorder, _ schedule: ThreadSchedule) {
        self.recorder = recorder
        self.schedule = schedule
    }

    /// Clears it for a new schedule.
    ///
    /// - Parameters:
    ///   - random: chooses which fetches are held.
    ///   - holds: whether any fetches are held.
    func begin(random: RandomSource, holds: Bool) {
        self.random = random
        self.holds = holds
        fetchCount = 0
    }

    /// A value of a key, on a thread that waits for it.
    ///
    /// - Throws: ``ScheduledOrigin/Refused`` when the fetch fails, `CancellationError` when it is given up.
    func fetch(_ key: UInt32, fails: Bool, isGivenUp: Bool) throws -> Data {
        fetchCount += 1
        let arrival = recorder.arrive()
        // One fetch in four is slow, as for tasks: this shows callers that wait for it although they should not.
        schedule.pause(isHeld: holds && random.next(below: 4) == 0)
        let value = recorder.answer(key, arrivedAt: arrival, sends: !fails && !isGivenUp)
        if isGivenUp { throw CancellationError() }
        guard let value else { throw ScheduledOrigin.Refused() }
        return value.encoded()
    }
}
