import TimedStrategies
import TrialModel
import WorkloadGeneration

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

    init(index: Int, topRow: Int, due: UInt64) {
        self.index = index
        self.topRow = topRow
        self.due = due
    }

    /// How long the cache held the main thread, without the time that the machine took.
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

/// The frames of a phase and their figures.
struct FrameOutcome: Sendable {
    let frames: Frames
    /// The frames that were drawn, in order.
    var records: [FrameRecord] = []
    var timesToPicture: [UInt64] = []
    var abandonedLoads: UInt64 = 0
    var lateAnswers: UInt64 = 0

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
