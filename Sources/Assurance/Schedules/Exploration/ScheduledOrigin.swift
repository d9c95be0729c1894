import Foundation
import TrialModel

/// The origin of a schedule: it answers when the schedule chooses to.
final class ScheduledOrigin: @unchecked Sendable {
    // Unchecked for the same reason as `ScheduleRecorder`, and as it is, `alone` in each change.

    /// A fetch that waits for its answer.
    private struct Waiting {
        var number: UInt64
        var continuation: UnsafeContinuation<Bool, Never>
    }

    /// The error of a failing fetch.
    struct Refused: Error {}

    private let recorder: ScheduleRecorder
    /// Fetches that may be answered at any time.
    private var prompt: [Waiting] = []
    /// Fetches that are answered only when nothing else can continue.
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

    /// Clears it for a new schedule.
    ///
    /// - Parameter random: chooses which fetches are held.
    func begin(random: RandomSource) {
        self.random = random
        prompt.removeAll(keepingCapacity: true)
        held.removeAll(keepingCapacity: true)
        givenUp.removeAll(keepingCapacity: true)
        fetchCount = 0
    }

    /// How many fetches may be answered.
    var promptCount: Int { alone { prompt.count } }

    /// Whether fetches are held until nothing else can continue.
    var holdsFetches: Bool { alone { !held.isEmpty } }

    /// Answers a fetch. O(1).
    func answer(at index: Int) {
        undivided {
            guard prompt.indices.contains(index) else { return }
            prompt.swapAt(index, prompt.count - 1)
            prompt.removeLast().continuation.resume(returning: true)
        }
    }

    /// Lets held fetches be answered like the others.
    func release() {
        undivided {
            prompt += held
            held.removeAll(keepingCapacity: true)
        }
    }

    /// A value of a key, once the schedule chooses to answer.
    ///
    /// - Throws: ``Refused`` when the fetch fails, `CancellationError` when it is given up.
    @concurrent
    func fetch(_ key: UInt32, fails: Bool) async throws -> Data {
        let (number, arrival, isHeld) = begun()
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

    /// A fetch begins.
    ///
    /// - Returns: its number, when it arrived, and whether it is held. One fetch in four is slow: this shows callers that
    ///   wait for it although they should not.
    private func begun() -> (UInt64, UInt64, Bool) {
        alone {
            fetchCount += 1
            lastNumber += 1
            return (lastNumber, recorder.arrive(), random.next(below: 4) == 0)
        }
    }

    private func wait(_ waiting: Waiting, isHeld: Bool) {
        undivided {
            if givenUp.remove(waiting.number) != nil {
                waiting.continuation.resume(returning: false)
            } else if isHeld {
                held.append(waiting)
            } else {
                prompt.append(waiting)
            }
        }
    }

    /// Called during a cancellation; the job that cancels runs on the same thread.
    private func giveUp(_ number: UInt64) {
        undivided {
            if let index = prompt.firstIndex(where: { $0.number == number }) {
                prompt.remove(at: index).continuation.resume(returning: false)
            } else if let index = held.firstIndex(where: { $0.number == number }) {
                held.remove(at: index).continuation.resume(returning: false)
            } else {
                givenUp.insert(number)
            }
        }
    }
}
