import CacheStrategies
import Measurement
import Origins
import Platform
import TimedStrategies
import TrialModel
import WorkloadGeneration

/// The main thread of an app with a scrolling list: in each frame it looks up the rows that came into view.
///
/// The caller is the main actor on the process's main thread, which runs a run loop between frames, as an app's does.
/// From its due time on, a frame does this:
///
/// 1. It takes the answers that arrived, and drops those of cells that have left the view.
/// 2. It looks up the key of each cell that came into view. A synchronous strategy answers at once. A suspending one is
///    awaited until the frame's budget has passed: a cell without an answer by then shows a placeholder.
/// 3. It starts loads for the misses, off the main thread, and cancels the loads of cells that left the view.
///
/// A frame that is due while an earlier one is still running is missed, as on a display: the next frame to be drawn is
/// the first one that is due after that.
@MainActor
final class FrameClients {
    private let work: PhaseWork
    private let frames: Frames
    private let rows: [WorkloadGeneration.Operation]
    private let mailbox = FrameMailbox()
    private let callers: FrameCallers
    private let loads: any FrameLoads
    /// The main thread's own look-ups, for a synchronous strategy.
    private let blocking: TimedKernel.Blocking?
    private let timer = DueTimer()

    private var metrics: ClientMetrics
    private var frameMetrics: FrameMetrics
    /// The cells by number.
    private var cells: [FrameCell] = []
    /// The numbers of the visible cells, by row.
    private var visible: [Int: FrameCell.Number] = [:]
    /// Look-ups and loads whose answers were not taken yet.
    private var pending = 0
    private var watch: MainThreadWatch

    /// Runs a phase with frames to the end of its last load.
    ///
    /// - Throws: ``HarnessError`` where the main actor is not on the process's main thread.
    static func run(_ work: PhaseWork, _ frames: Frames) async throws -> EndedPhase {
        guard isMainThread() else {
            throw HarnessError(
                "frames measure the main thread, and this program's main actor is not on it: let its main be "
                    + "'static func main()', without async")
        }
        let clients = await FrameClients(work, frames)
        return await clients.run()
    }

    private init(_ work: PhaseWork, _ frames: Frames) async {
        self.work = work
        self.frames = frames
        metrics = ClientMetrics(work, client: 0)
        frameMetrics = FrameMetrics(frames: frames)
        var stream = OperationStream(
            scenario: work.scenario, phaseIndex: work.phaseIndex, client: 0, trace: work.trace)
        rows = (0..<frames.rowCount).compactMap { _ in stream.next() }
        callers = FrameCallers(work)
        blocking = work.strategy.kernel(work.origin).blocking
        loads =
            blocking == nil
            ? TaskFrameLoads(callers, mailbox: mailbox)
            : ThreadFrameLoads(work, mailbox: mailbox, count: frames.loaders, firstCaller: 1)
        var watch = MainThreadWatch()
        await watch.calibrate(with: timer)
        self.watch = watch
    }

    private func run() async -> EndedPhase {
        let start = Nanoclock.now() &+ frames.period
        metrics.begin(at: start)
        work.pressure?.release.yield(start)
        var index = 0
        while index < frames.frameCount {
            let due = start &+ UInt64(index) &* frames.period
            let woken = await timer.sleep(until: due &- MainThreadWatch.lead)
            var record = FrameRecord(index: index, topRow: frames.topRow(at: UInt64(index) &* frames.period), due: due)
            watch.begin(&record, woken: woken)
            // Time in which the cache kept the thread busy is not the harness's fault.
            let late = Nanoclock.elapsed(from: due, to: record.begin)
            metrics.send(due: 0, lateness: late - min(late, record.held))
            takeAnswers()
            await draw(&record)
            watch.end(&record)
            frameMetrics.records.append(record)
            index += 1 + record.missed(frames)
        }
        while pending > 0 {
            _ = await timer.sleep(until: Nanoclock.now() &+ frames.period)
            takeAnswers()
        }
        let ended = Nanoclock.now()
        loads.stop()
        timer.stop()
        metrics.checkKeptValues()
        if !work.phase.warmUp { metrics.add(frameMetrics) }
        return EndedPhase(metrics, elapsed: Nanoclock.elapsed(from: start, to: ended))
    }

    // MARK: A frame

    private func draw(_ record: inout FrameRecord) async {
        let shown = record.topRow..<min(record.topRow + frames.cells, rows.count)
        let left = visible.filter { !shown.contains($0.key) }
        let entered = shown.filter { visible[$0] == nil }.map { add($0, at: record.begin) }
        record.cells = UInt64(entered.count)
        if blocking != nil {
            for number in entered { record.held &+= lookUp(number) }
        } else if !entered.isEmpty {
            record.held &+= await lookUpSuspending(entered, until: record.begin &+ frames.budget)
        }
        for number in entered where cells[number].isShown { record.shownAtOnce += 1 }
        let started = Nanoclock.now()
        for (row, number) in left {
            visible[row] = nil
            leave(number)
        }
        if !left.isEmpty { record.held &+= Nanoclock.elapsed(from: started, to: Nanoclock.now()) }
    }

    /// A row comes into view.
    private func add(_ row: Int, at time: UInt64) -> FrameCell.Number {
        cells.append(FrameCell(operation: rows[row], cameAt: time))
        visible[row] = cells.count - 1
        metrics.issued &+= 1
        return cells.count - 1
    }

    /// Looks up a key on the main thread; returns how long the look-up held the thread, in nanoseconds.
    private func lookUp(_ number: FrameCell.Number) -> UInt64 {
        guard let blocking else { return 0 }
        let answer = blocking(.read, cells[number].operation.key, nil, nil)
        lookedUp(number, answer, caller: 0)
        return answer.span.nanoseconds
    }

    /// Looks up keys from tasks of the main actor, as an app's cells do.
    ///
    /// - Returns: how long the frame waited for them: until the last answer, or until the end of its budget.
    private func lookUpSuspending(_ entered: [FrameCell.Number], until limit: UInt64) async -> UInt64 {
        let started = Nanoclock.now()
        let turn = FrameTurn(awaited: entered.count)
        for number in entered {
            let (caller, key) = (callers.take(), cells[number].operation.key)
            let kernel = callers.kernel(of: caller)
            pending += 1
            Task {
                let answer = await kernel.suspending(.read, key, nil)
                callers.giveBack(caller)
                pending -= 1
                lookedUp(number, answer, caller: caller)
                turn.arrive()
            }
        }
        Task {
            _ = await timer.sleep(until: limit)
            turn.giveUp()
        }
        await turn.wait()
        return Nanoclock.elapsed(from: started, to: Nanoclock.now())
    }

    /// A look-up was answered: the cell shows the value, or has to be loaded.
    private func lookedUp(_ number: FrameCell.Number, _ answer: TimedAnswer, caller: Int) {
        let isVisible = cells[number].isVisible
        if answer.answer.value != nil {
            metrics.record(cells[number].operation, answer, caller: caller)
            cells[number].state = .shown(at: answer.span.end)
            if !isVisible { frameMetrics.lateAnswers += 1 }
        } else if isVisible {
            cells[number].state = .loading(lookUp: answer, caller: caller)
            pending += 1
            loads.start(number, key: cells[number].operation.key)
        } else {
            bookUnloaded(number, answer, caller: caller)
        }
    }

    /// A cell leaves the view, and its load is cancelled.
    private func leave(_ number: FrameCell.Number) {
        cells[number].isVisible = false
        guard case .loading(let lookUp, let caller) = cells[number].state else { return }
        cells[number].operation.cancelAfter = 1
        guard !loads.cancel(number) else { return }
        pending -= 1
        frameMetrics.abandonedLoads += 1
        cells[number].state = .empty
        bookUnloaded(number, lookUp, caller: caller)
    }

    /// Records a cell that was looked up and never loaded as a read only.
    private func bookUnloaded(_ number: FrameCell.Number, _ answer: TimedAnswer, caller: Int) {
        var read = cells[number].operation
        read.kind = .read
        metrics.record(read, answer, caller: caller)
    }

    /// Takes the answers of loads since the last frame.
    private func takeAnswers() {
        for answer in mailbox.take() {
            pending -= 1
            loads.ended(answer)
            let cell = cells[answer.cell]
            metrics.record(cell.operation, answer.answer, caller: answer.caller)
            let hasValue = answer.answer.answer.value != nil
            switch (cell.isVisible, hasValue) {
            case (true, true):
                frameMetrics.timesToPicture.append(Nanoclock.elapsed(from: cell.cameAt, to: answer.answer.span.end))
            case (true, false): break
            case (false, true): frameMetrics.lateAnswers += 1
            case (false, false): frameMetrics.abandonedLoads += 1
            }
            cells[answer.cell].state = hasValue ? .shown(at: answer.answer.span.end) : .empty
        }
    }
}

/// The look-ups that a frame waits for, until its budget has passed.
@MainActor
private final class FrameTurn {
    private var awaited: Int
    private var continuation: CheckedContinuation<Void, Never>?

    init(awaited: Int) {
        self.awaited = awaited
    }

    func arrive() {
        awaited -= 1
        if awaited == 0 { resume() }
    }

    func giveUp() {
        awaited = 0
        resume()
    }

    func wait() async {
        guard awaited > 0 else { return }
        await withCheckedContinuation { continuation = $0 }
    }

    private func resume() {
        continuation?.resume()
        continuation = nil
    }
}

/// A row of the list from the frame in which it comes into view until it leaves.
struct FrameCell {
    /// Counted over the phase: a row that comes back gets a new number, so an answer for the old number is recognised
    /// as late.
    typealias Number = Int

    enum State {
        /// Its look-up is in flight.
        case lookingUp
        /// Its look-up was a miss, and its load is in flight.
        case loading(lookUp: TimedAnswer, caller: Int)
        /// It shows its value.
        case shown(at: UInt64)
        /// It shows nothing, and no answer is awaited.
        case empty
    }

    /// A load of its key.
    var operation: WorkloadGeneration.Operation
    /// When it came into view.
    let cameAt: UInt64
    var state = State.lookingUp
    var isVisible = true

    var isShown: Bool { if case .shown = state { true } else { false } }
}

/// What happened in one frame.
struct FrameRecord: Sendable {
    /// Counted from 0.
    let index: Int
    let topRow: Int
    /// When it was due, and when it began and ended.
    let due: UInt64
    var begin: UInt64 = 0
    var end: UInt64 = 0
    /// How long the cache held the main thread, including time that the machine took.
    var held: UInt64 = 0
    /// The part of it in which the machine used the processor, or delayed a thread that this one waited for.
    var machine: UInt64 = 0
    /// How late it began because the machine woke the timer or the main thread late.
    var lateByMachine: UInt64 = 0
    var cells: UInt64 = 0
    var shownAtOnce: UInt64 = 0

    /// How long the cache blocked the main thread, without the time that the machine took.
    var heldByCache: UInt64 { held - min(held, machine) }

    /// How many later frames were due before this one ended, had it taken so much less time.
    private func missed(_ frames: Frames, without time: UInt64) -> Int {
        let duration = end - min(end, due)
        return Int(clamping: (duration - min(duration, time)) / frames.period)
    }

    /// The later frames that were due before this one ended.
    func missed(_ frames: Frames) -> Int { min(missed(frames, without: 0), frames.frameCount - 1 - index) }

    /// What made it late, if it was.
    func blame(_ frames: Frames) -> FrameBlame {
        let isLate = held > frames.budget || missed(frames, without: 0) > 0
        guard isLate else { return .none }
        return heldByCache > frames.budget || missed(frames, without: machine &+ lateByMachine) > 0 ? .cache : .machine
    }
}

/// The frames of a phase and their figures, from its only client.
struct FrameMetrics: Instrument {
    let frames: Frames
    /// The frames that were drawn, in order.
    var records: [FrameRecord] = []
    var timesToPicture: [UInt64] = []
    var abandonedLoads: UInt64 = 0
    var lateAnswers: UInt64 = 0

    mutating func record(_ ended: EndedOperation) {}

    mutating func merge(_ other: FrameMetrics) {}

    func addRows(to result: inout PhaseResult, of phase: PhaseSummary) {
        (result.frames, result.frameTimes) = (row(phase.key), timeRows(phase.key))
    }

    /// The row of the phase.
    func row(_ key: RowKey) -> FramesRow {
        var row = FramesRow(key: key)
        var held: [UInt64] = []
        row.frames = UInt64(frames.frameCount)
        for record in records {
            row.cells += record.cells
            row.shownAtOnce += record.shownAtOnce
            let missed = UInt64(record.missed(frames))
            guard record.blame(frames) != .machine else {
                row.machineFrames += 1 + missed
                continue
            }
            row.missed += missed
            if record.heldByCache > frames.budget { row.overBudget += 1 }
            held.append(record.heldByCache)
        }
        held.sort()
        (row.heldP50, row.heldP99, row.heldMax) = (held.percentile(50), held.percentile(99), held.last)
        let times = timesToPicture.sorted()
        row.shownLater = UInt64(times.count)
        (row.timeToPictureP50, row.timeToPictureP99) = (times.percentile(50), times.percentile(99))
        (row.abandonedLoads, row.lateAnswers) = (abandonedLoads, lateAnswers)
        return row
    }

    /// A row for each frame that was drawn.
    func timeRows(_ key: RowKey) -> [FrameTimeRow] {
        records.map { record in
            var row = FrameTimeRow(key: key)
            row.frame = UInt64(record.index + 1)
            row.scroll = frames.step(at: UInt64(record.index) * frames.period)?.name ?? ""
            row.row = UInt64(record.topRow)
            row.heldNanoseconds = record.heldByCache
            row.lateNanoseconds = record.begin - min(record.begin, record.due)
            row.missed = UInt64(record.missed(frames))
            (row.cells, row.shownAtOnce) = (record.cells, record.shownAtOnce)
            row.blame = record.blame(frames)
            return row
        }
    }
}

extension [UInt64] {
    /// The smallest of the sorted values that this percentage of them does not exceed; `nil` without values.
    fileprivate func percentile(_ percent: Int) -> UInt64? {
        isEmpty ? nil : self[Swift.max((count * percent + 99) / 100, 1) - 1]
    }
}
