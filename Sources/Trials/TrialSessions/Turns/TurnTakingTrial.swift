import Locks
import Platform
import TrialLoop
import TrialModel

/// A trial in a process of its own that works only during its turns.
struct TurnTakingTrial {
    /// The state of the process after a turn.
    private enum Stop: Sendable {
        /// It waits, in a phase or before one.
        case waiting(version: Int, phase: Int)
        /// It does something else before it has ever waited.
        case unasked
        case ended(Result<TrialOutcome, any Error>)
    }

    private var stops: AsyncStream<Stop>.Iterator
    private let grants: AsyncStream<[UInt8]>.Continuation
    private let running: Task<Void, Never>
    private let turnWatch: Locked<Stopwatch>?
    /// The phase that it is in, or enters with its next turn, from 0; `nil` when it has ended.
    private(set) var phase: Int?
    /// Its result, after it has ended.
    private(set) var outcome: TrialOutcome?

    /// Starts the process. A process that can't run this trial, for example because it lacks the strategy, has then
    /// ended.
    ///
    /// - Throws: ``HarnessError`` when the program takes no turns, or ends without a message.
    static func start(
        _ program: ChildProgram, _ specification: TrialSpecification, _ settings: ChildSettings
    ) async throws -> TurnTakingTrial {
        var trial = TurnTakingTrial(program, specification, settings)
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
                "\(program.path) can't run a trial: \(outcome.ending.tail.headline ?? "it ended at once")")
        case .waiting, .unasked, .ended, nil:
            await trial.stop()
            try Task.checkCancellation()
            throw HarnessError(
                "\(program.path) does not alternate in slices as this program does: it is another version. Build both sides from "
                    + "versions that do, or run each alone in alternation and compare the folders with --paired")
        }
    }

    private init(_ program: ChildProgram, _ specification: TrialSpecification, _ settings: ChildSettings) {
        turnWatch = settings.turnWatch
        let (stops, stopped) = AsyncStream.makeStream(of: Stop.self)
        let (granted, grants) = AsyncStream.makeStream(of: [UInt8].self)
        self.stops = stops.makeAsyncIterator()
        self.grants = grants
        running = Task {
            do {
                let outcome = try await program.run(specification, settings, grants: granted) { message in
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

    /// Ends the process in any state.
    func stop() async {
        running.cancel()
        grants.finish()
        await running.value
    }
}
