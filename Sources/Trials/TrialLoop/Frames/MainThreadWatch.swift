import Measurement
import Platform
import TrialModel

/// How long the main thread was busy in a frame and since the frame before, and how much of it the machine took.
///
/// The cache may put work on the main thread that no look-up shows: callbacks on the main queue, and everything that is
/// bound to the main actor. It is measured in two ways, and the longer time counts:
///
/// - Processor time of the thread between two frames, beyond what the harness itself uses.
/// - A frame that begins late, though its timer was on time and the thread did not wait for a processor.
struct MainThreadWatch: ~Copyable {
    private var delays = ThreadDelays()
    private var stolenTicks = NoiseReading.stolenTicks()
    private var ended: Mark
    private var began = Mark()
    /// The harness's own processor time on the main thread between two frames, in nanoseconds.
    private var own: UInt64 = 0

    /// Shorter work on the main thread is indistinguishable from the harness's own: 0.2 ms.
    private static var floor: UInt64 { 200_000 }
    /// How long the main thread may take to wake after the timer: 0.3 ms.
    private static var wakingTime: UInt64 { 300_000 }
    /// How long before a frame is due the main thread is woken; it then spins until the frame is due. A plain sleep of
    /// 16 ms ended 0.2 ms late on an idle virtual machine, and one in a hundred more than 1.6 ms.
    static var lead: UInt64 { 1_000_000 }
    /// How long a clock tick of the kernel is: 10 ms.
    private static var tick: UInt64 { 10_000_000 }

    /// One moment on the main thread.
    private struct Mark {
        var time: UInt64 = 0
        var processor: UInt64 = 0
        var delay: UInt64 = 0
    }

    init() {
        ended = Mark()
        ended = mark()
    }

    /// Measures what the harness itself uses between two frames: the median of some frames without any cache.
    @MainActor
    mutating func calibrate(with timer: DueTimer) async {
        var times: [UInt64] = []
        for _ in 0..<25 {
            let before = ProcessClock.ofThread()
            _ = await timer.sleep(until: Nanoclock.now() &+ 2_000_000)
            times.append(ProcessClock.ofThread() &- before)
        }
        own = times.sorted()[times.count / 2]
        _ = delays.othersLongest()
        stolenTicks = NoiseReading.stolenTicks()
        ended = mark()
    }

    /// A frame begins.
    ///
    /// - Parameter woken: when the timer's thread saw that the frame was due.
    mutating func begin(_ record: inout FrameRecord, woken: UInt64) {
        let awake = mark()
        while Nanoclock.now() < record.due {}
        began = mark()
        record.begin = began.time
        let waited = awake.delay &- ended.delay
        let timerLate = Nanoclock.elapsed(from: record.due &- Self.lead, to: woken)
        let late = Nanoclock.elapsed(from: record.due, to: began.time)
        let processor = awake.processor &- ended.processor
        let busy = processor > own &+ Self.floor ? processor &- own : 0
        var excused = timerLate &+ waited
        // The timer's thread may have lost its processor before it woke this one.
        if late > excused &+ Self.wakingTime { excused &+= delays.othersLongest() }
        let unexplained = late - min(late, excused)
        record.held = max(busy, unexplained > Self.wakingTime ? unexplained : 0)
        record.lateByMachine = min(late, excused)
    }

    /// A frame has ended.
    mutating func end(_ record: inout FrameRecord) {
        let now = mark()
        record.end = now.time
        let delay = now.delay &- began.delay
        let (elapsed, processor) = (now.time &- began.time, now.processor &- began.processor)
        let waiting = elapsed - min(elapsed, processor &+ delay)
        let stolen = NoiseReading.stolenTicks()
        record.machine = delay &+ min(waiting, delays.othersLongest()) &+ (stolen &- stolenTicks) &* Self.tick
        stolenTicks = stolen
        ended = mark()
    }

    private func mark() -> Mark {
        Mark(time: Nanoclock.now(), processor: ProcessClock.ofThread(), delay: delays.ownNanoseconds())
    }
}
