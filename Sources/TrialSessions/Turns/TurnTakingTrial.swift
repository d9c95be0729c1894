import Locks
import TrialLoop
import TrialModel

/// A trial in a process of its own that works only in its turns.
struct TurnTakingTrial {
    /// Where the process stands after a turn.
    private enum Stop: Sendable {
        /// It waits, in a phase or before one.
        case waiting(version: Int, phase: Int)
        /// It does something else before it has ever waited.
        case unasked
        case ended(Result<TrialProcess.Outcome, any Error>)
    }

    private var stops: AsyncStream<Stop>.Iterator
    private let grants: AsyncStream<[UInt8]>.Continuation
    private let running: Task<Void, Never>
    private let turnWatch: Locked<Stopwatch>?
    /// The phase that it is in or will be in with its next turn, from 0; `nil` when it has ended.
    private(set) var phase: Int?
    /// What it left behind, when it has ended.
    private(set) var outcome: TrialProcess.Outcome?

    /// Starts the process. One whose program can't run this trial, such as for want of the strategy, has ended then.
    ///
    /// - Throws: ``HarnessError`` when the program takes no turns, or ends without a word.
    static func start(_ process: TrialProcess, _ specification: TrialSpecification) async throws -> TurnTakingTrial {
        var trial = TurnTakingTrial(process, specification)
        switch await trial.stops.next(isolation: #isolation) {
        case .waiting(TurnSettings.version, let phase):
            trial.turnWatch?.withLock { $0.stop() }
            trial.phase = phase
            return trial
        case .ended(.success(let outcome)) where outcome.trouble != nil:
            trial.outcome = outcome
            return trial
        case .ended(.failure(let error)) where error is CancellationError:
            throw error
        case .ended(.success(let outcome)) where !outcome.ending.isClean && !outcome.ending.tail.isUsage:
            throw HarnessError(
                "\(process.executable) can't run a trial: \(outcome.ending.tail.headline ?? "it ended at once")")
        case .waiting, .unasked, .ended, nil:
            await trial.stop()
            try Task.checkCancellation()
            throw HarnessError(
                "\(process.executable) takes no turns as this program does: it is another version. Build both sides from "
                    + "versions that do, or run each by itself in turns and compare the folders with --paired")
        }
    }

    private init(_ process: TrialProcess, _ specification: TrialSpecification) {
        turnWatch = process.turnWatch
        let (stops, stopped) = AsyncStream.makeStream(of: Stop.self)
        let (granted, grants) = AsyncStream.makeStream(of: [UInt8].self)
        self.stops = stops.makeAsyncIterator()
        self.grants = grants
        running = Task {
            do {
                let outcome = try await process.run(specification, grants: granted) { message in
                    switch message {
                    case .waiting(let version, let phase): stopped.yield(.waiting(version: version, phase: phase))
                    case .phaseStarted where specification.turns != nil: stopped.yield(.unasked)
                    default: break
                    }
                }
                stopped.yield(.ended(.success(outcome)))
            } catch {
                stopped.yield(.ended(.failure(error)))
            }
            stopped.finish()
        }
    }

    /// Lets the process work until it waits again or ends.
    mutating func takeTurn() async throws {
        turnWatch?.withLock { $0.start() }
        defer { turnWatch?.withLock { $0.stop() } }
        grants.yield(Array("\n".utf8))
        while let stop = await stops.next(isolation: #isolation) {
            switch stop {
            case .unasked: continue
            case .waiting(_, let phase):
                self.phase = phase
                return
            case .ended(let result):
                phase = nil
                outcome = try result.get()
                return
            }
        }
        throw CancellationError()
    }

    /// Ends the process, wherever it stands.
    func stop() async {
        running.cancel()
        grants.finish()
        await running.value
    }
}
