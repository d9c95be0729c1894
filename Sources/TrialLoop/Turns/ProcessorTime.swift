import Measurement
import TrialModel

/// The processor time of this process, during its turns and between them.
struct ProcessorTime: Sendable {
    private var inTurns: UInt64 = 0
    private var between: UInt64 = 0
    private var turnBegan: UInt64
    private var turnEnded: UInt64?
    /// The processor time of the thread that takes grants, when it took the last one.
    private var ofTaker: UInt64 = 0

    /// The first turn has begun.
    ///
    /// - Parameter now: the processor time of the process so far, in nanoseconds; the same in the other functions.
    init(at now: UInt64 = ProcessClock.now()) {
        turnBegan = now
    }

    /// Must be called from the thread that takes grants. Its own processor time since the last turn belongs to the
    /// harness.
    mutating func turnBegins(at now: UInt64 = ProcessClock.now(), taker: UInt64 = ProcessClock.ofThread()) {
        // What the taker did before its first turn does not belong to a gap.
        if let turnEnded, ofTaker > 0 {
            let own = Nanoclock.elapsed(from: ofTaker, to: taker)
            between += Nanoclock.elapsed(from: own, to: Nanoclock.elapsed(from: turnEnded, to: now))
        }
        (turnBegan, ofTaker) = (now, taker)
    }

    mutating func turnEnds(at now: UInt64 = ProcessClock.now()) {
        inTurns += Nanoclock.elapsed(from: turnBegan, to: now)
        turnEnded = now
    }

    /// The processor time between turns as a share of that in turns; `nil` where there was only one turn.
    var shareOutside: Double? {
        turnEnded == nil || inTurns == 0 ? nil : Double(between) / Double(inTurns)
    }
}
