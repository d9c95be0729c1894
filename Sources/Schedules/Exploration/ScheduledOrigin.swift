import Foundation
import TrialModel

/// The origin of a schedule: it answers when the schedule says so.
final class ScheduledOrigin: @unchecked Sendable {
    // Unchecked for the same reason as `ScheduleRecorder`: one thread runs whatever uses it.

    /// A fetch that waits for its answer.
    private struct Waiting {
        var number: UInt64
        var continuation: UnsafeContinuation<Bool, Never>
    }

    /// What a failing fetch throws.
    struct Refused: Error {}

    private let recorder: ScheduleRecorder
    /// What may be answered at any time.
    private var prompt: [Waiting] = []
    /// What is answered only when nothing else can go on.
    private var held: [Waiting] = []
    private var lastNumber: UInt64 = 0
    /// Fetches that were given up before they waited.
    private var givenUp: Set<UInt64> = []
    private var random = RandomSource(seed: 0)
    /// How many fetches have begun.
    private(set) var fetchCount: UInt64 = 0

    init(_ recorder: ScheduleRecorder) {
        self.recorder = recorder
    }

    /// Starts anew.
    ///
    /// - Parameter random: what decides which fetches are held.
    func begin(random: RandomSource) {
        self.random = random
        prompt.removeAll(keepingCapacity: true)
        held.removeAll(keepingCapacity: true)
        givenUp.removeAll(keepingCapacity: true)
        fetchCount = 0
    }

    /// How many fetches may be answered.
    var promptCount: Int { prompt.count }

    /// Whether fetches wait until nothing else can go on.
    var holdsFetches: Bool { !held.isEmpty }

    /// Answers a fetch. O(1).
    func answer(at index: Int) {
        guard prompt.indices.contains(index) else { return }
        prompt.swapAt(index, prompt.count - 1)
        prompt.removeLast().continuation.resume(returning: true)
    }

    /// Lets what was held be answered like the rest.
    func release() {
        prompt += held
        held.removeAll(keepingCapacity: true)
    }

    /// A value of a key, once the schedule says so.
    ///
    /// - Throws: ``Refused`` when it fails, `CancellationError` when it is given up.
    @concurrent
    func fetch(_ key: UInt32, fails: Bool) async throws -> Data {
        fetchCount += 1
        lastNumber += 1
        let number = lastNumber
        let arrival = recorder.arrive()
        // One in four is slow: whoever should not wait for it is seen to wait.
        let isHeld = random.next(below: 4) == 0
        let isAnswered = await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                wait(Waiting(number: number, continuation: continuation), isHeld: isHeld)
            }
        } onCancel: {
            giveUp(number)
        }
        let value = recorder.answer(key, arrivedAt: arrival, sends: isAnswered && !fails)
        guard isAnswered else { throw CancellationError() }
        guard let value else { throw Refused() }
        return value.encoded()
    }

    private func wait(_ waiting: Waiting, isHeld: Bool) {
        if givenUp.remove(waiting.number) != nil {
            waiting.continuation.resume(returning: false)
        } else if isHeld {
            held.append(waiting)
        } else {
            prompt.append(waiting)
        }
    }

    /// Called in the midst of a cancellation; the job that cancels is on the same thread.
    private func giveUp(_ number: UInt64) {
        if let index = prompt.firstIndex(where: { $0.number == number }) {
            prompt.remove(at: index).continuation.resume(returning: false)
        } else if let index = held.firstIndex(where: { $0.number == number }) {
            held.remove(at: index).continuation.resume(returning: false)
        } else {
            givenUp.insert(number)
        }
    }
}
