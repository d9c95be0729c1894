import CacheStrategies
import Foundation
import Locks
import Origins
import TimedStrategies
import TrialModel

/// An answer for a cell.
struct FrameAnswer: Sendable {
    let cell: FrameCell.Number
    /// The number of the caller in the history.
    let caller: Int
    let answer: TimedAnswer
}

/// Answers on their way to the main thread, which takes them as a frame begins.
final class FrameMailbox: Sendable {
    private let answers = Locked<[FrameAnswer]>([])

    func put(_ answer: FrameAnswer) { answers.withLock { $0.append(answer) } }

    /// Takes all answers since the last call.
    func take() -> [FrameAnswer] {
        answers.withLock { answers in
            defer { answers = [] }
            return answers
        }
    }
}

/// Runs the loads of cells off the main thread.
@MainActor
protocol FrameLoads: AnyObject {
    /// Starts a load. Its answer arrives in the mailbox, unless ``cancel(_:)`` says otherwise.
    func start(_ cell: FrameCell.Number, key: UInt32)

    /// Cancels a load that was started and whose answer has not been taken from the mailbox.
    ///
    /// - Returns: whether it had begun; otherwise no answer arrives in the mailbox.
    func cancel(_ cell: FrameCell.Number) -> Bool

    /// An answer of one of its loads was taken from the mailbox.
    func ended(_ answer: FrameAnswer)

    /// Frees its resources, once every load has ended.
    func stop()
}

/// Loads of a synchronous strategy on a few threads, as an app's queue for pictures does. Waiting loads run in order.
@MainActor
final class ThreadFrameLoads: FrameLoads {
    private typealias Request = (cell: FrameCell.Number, key: UInt32)

    /// What the threads share.
    private final class Queue: @unchecked Sendable {
        // Every access to the variables happens while `condition` is held.
        let condition = NSCondition()
        var waiting: [Request] = []
        var inFlight: [FrameCell.Number: CancellableSource] = [:]
        var isStopped = false

        /// Takes the next request; `nil` when there will be no more.
        func next(for source: CancellableSource) -> Request? {
            condition.withLock {
                while waiting.isEmpty, !isStopped { condition.wait() }
                guard !waiting.isEmpty else { return nil }
                let request = waiting.removeFirst()
                source.renew()
                inFlight[request.cell] = source
                return request
            }
        }
    }

    private let queue = Queue()

    /// - Parameter firstCaller: the caller number of the first thread in the history.
    init(_ work: PhaseWork, mailbox: FrameMailbox, count: Int, firstCaller: Int) {
        for index in 0..<count {
            let source = CancellableSource(work.origin)
            let kernel = work.strategy.kernel(source)
            let queue = queue
            DedicatedThreads.start(name: "loader \(index)") {
                guard let perform = kernel.blocking else { return }
                while let request = queue.next(for: source) {
                    let answer = perform(.load, request.key, nil, nil)
                    queue.condition.withLock { queue.inFlight[request.cell] = nil }
                    mailbox.put(
                        FrameAnswer(cell: request.cell, caller: firstCaller + index, answer: answer))
                }
            }
        }
    }

    func start(_ cell: FrameCell.Number, key: UInt32) {
        queue.condition.withLock {
            queue.waiting.append((cell, key))
            queue.condition.signal()
        }
    }

    func cancel(_ cell: FrameCell.Number) -> Bool {
        // All of it runs with the lock held, so that the thread cannot be at its next load yet.
        queue.condition.withLock {
            if let place = queue.waiting.firstIndex(where: { $0.cell == cell }) {
                queue.waiting.remove(at: place)
                return false
            }
            queue.inFlight[cell]?.cancel()
            return true
        }
    }

    func ended(_ answer: FrameAnswer) {}

    func stop() {
        queue.condition.withLock {
            queue.isStopped = true
            queue.condition.broadcast()
        }
    }
}

/// The origin of one loading thread. The main thread can cancel its fetch: a task fetches, and the thread waits for it.
private final class CancellableSource: PayloadSource {
    private struct State {
        var task: Task<Void, Never>?
        var isCancelled = false
    }

    private let origin: any Origin
    private let state = Locked(State())

    init(_ origin: any Origin) {
        self.origin = origin
    }

    /// Starts afresh for the next load.
    func renew() { state.withLock { $0 = State() } }

    func cancel() {
        state.withLock { state in
            state.isCancelled = true
            state.task?.cancel()
        }
    }

    func fetch(_ key: UInt64) async throws -> Data { try await origin.fetch(key) }

    func fetchBlocking(_ key: UInt64, deadline: Duration?) throws -> Data {
        let done = DispatchSemaphore(value: 0)
        let result = Locked<Result<Data, any Error>>(.failure(CancellationError()))
        let origin = origin
        let isCancelled = state.withLock { state in
            guard !state.isCancelled else { return true }
            state.task = Task.detached {
                do {
                    let data = try await origin.fetch(key)
                    result.withLock { $0 = .success(data) }
                } catch {
                    result.withLock { $0 = .failure(error) }
                }
                done.signal()
            }
            return false
        }
        if isCancelled { throw CancellationError() }
        done.wait()
        return try result.withLock { $0 }.get()
    }
}

/// Loads of a suspending strategy, each a task.
@MainActor
final class TaskFrameLoads: FrameLoads {
    private let callers: FrameCallers
    private let mailbox: FrameMailbox
    private var tasks: [FrameCell.Number: Task<Void, Never>] = [:]

    init(_ callers: FrameCallers, mailbox: FrameMailbox) {
        self.callers = callers
        self.mailbox = mailbox
    }

    func start(_ cell: FrameCell.Number, key: UInt32) {
        let (caller, mailbox) = (callers.take(), mailbox)
        let kernel = callers.kernel(of: caller)
        tasks[cell] = Task { @concurrent in
            let answer = await kernel.suspending(.load, key, nil)
            mailbox.put(FrameAnswer(cell: cell, caller: caller, answer: answer))
        }
    }

    func cancel(_ cell: FrameCell.Number) -> Bool {
        tasks[cell]?.cancel()
        return true
    }

    func ended(_ answer: FrameAnswer) {
        tasks[answer.cell] = nil
        callers.giveBack(answer.caller)
    }

    func stop() { tasks = [:] }
}

/// The callers of a suspending strategy: each has a kernel of its own, and one operation at a time.
@MainActor
final class FrameCallers {
    private let work: PhaseWork
    private var kernels: [TimedKernel] = []
    private var free: [Int] = []

    init(_ work: PhaseWork) {
        self.work = work
    }

    /// Takes a caller that is idle. The main thread itself is number 0.
    func take() -> Int {
        if let caller = free.popLast() { return caller }
        kernels.append(work.strategy.kernel(work.origin))
        return kernels.count
    }

    func kernel(of caller: Int) -> TimedKernel { kernels[caller - 1] }

    /// Returns a caller that has its answer.
    func giveBack(_ caller: Int) { free.append(caller) }
}
