import Testing

@testable import TrialLoop
@testable import TrialModel

/// The blame for a frame, and the figures of many frames.
@Suite(.timeLimit(.minutes(1)))
struct FrameRecordTests {
    /// Frames of 10 ms with a budget of 4 ms.
    private static let frames = Frames(
        rate: 100, budget: 4_000_000, cells: 10, loaders: 4,
        scroll: [ScrollStep(name: "still", rowsPerSecond: 0, nanoseconds: 1_000_000_000)])
    private static let millisecond: UInt64 = 1_000_000

    /// A frame that was due at 1 s; times in milliseconds.
    private static func record(
        late: UInt64 = 0, took: UInt64, held: UInt64, machine: UInt64 = 0, lateByMachine: UInt64 = 0, index: Int = 20
    ) -> FrameRecord {
        var record = FrameRecord(index: index, topRow: 0, due: 1_000 * millisecond)
        record.begin = record.due + late * millisecond
        record.end = record.begin + took * millisecond
        (record.held, record.machine) = (held * millisecond, machine * millisecond)
        record.lateByMachine = lateByMachine * millisecond
        return record
    }

    @Test func `a frame within its budget and its time has no blame`() {
        let record = Self.record(took: 5, held: 4)
        #expect(record.blame(Self.frames) == .none && record.missed(Self.frames) == 0)
    }

    @Test func `a frame over its budget is blamed on the cache, also when none is missed`() {
        let record = Self.record(took: 5, held: 5)
        #expect(record.blame(Self.frames) == .cache && record.missed(Self.frames) == 0)
    }

    @Test func `the frames that were due during a long one are missed`() {
        #expect(Self.record(took: 9, held: 9).missed(Self.frames) == 0)
        #expect(Self.record(took: 10, held: 10).missed(Self.frames) == 1)
        #expect(Self.record(late: 6, took: 15, held: 15).missed(Self.frames) == 2)
    }

    @Test func `no frame is missed after the last one`() {
        #expect(Self.record(took: 95, held: 95, index: 98).missed(Self.frames) == 1)
        #expect(Self.record(took: 95, held: 95, index: 99).missed(Self.frames) == 0)
    }

    @Test func `time that the machine took is not charged`() {
        let record = Self.record(took: 12, held: 12, machine: 11)
        #expect(record.heldByCache == Self.millisecond && record.blame(Self.frames) == .machine)
    }

    @Test func `a frame that is late even without the machine is blamed on the cache`() {
        let record = Self.record(took: 25, held: 25, machine: 10)
        #expect(record.heldByCache == 15 * Self.millisecond && record.blame(Self.frames) == .cache)
    }

    @Test func `a frame that the machine began late is blamed on the machine`() {
        let record = Self.record(late: 11, took: 1, held: 1, lateByMachine: 11)
        #expect(record.missed(Self.frames) == 1 && record.blame(Self.frames) == .machine)
    }

    @Test func `frames of the machine count separately, with the missed frames that they caused`() {
        var outcome = FrameMetrics(frames: Self.frames)
        outcome.records = [
            Self.record(took: 1, held: 1), Self.record(took: 6, held: 6), Self.record(took: 15, held: 15),
            Self.record(took: 35, held: 35, machine: 34),
        ]
        let row = outcome.row(Self.key)
        #expect((row.frames, row.overBudget, row.missed, row.machineFrames) == (100, 2, 1, 4))
        #expect(row.heldP50 == 6 * Self.millisecond && row.heldMax == 15 * Self.millisecond)
        #expect(row.missedShare == 1.0 / 96)
    }

    @Test func `percentiles of times to a picture are those of sorted times`() {
        var outcome = FrameMetrics(frames: Self.frames)
        outcome.timesToPicture = (1...200).reversed().map { UInt64($0) }
        let row = outcome.row(Self.key)
        #expect((row.timeToPictureP50, row.timeToPictureP99, row.shownLater) == (100, 198, 200))
        #expect(FrameMetrics(frames: Self.frames).row(Self.key).heldP99 == nil)
    }

    private static let key = RowKey(trial: TrialIdentity(scenario: "s", strategy: "x", repetition: 1), phase: "p")
}
