package import Measurement
package import TrialModel

/// What the harness itself costs on this machine.
///
/// Everything is measured in several interleaved rounds, so that a disturbance affects all parts alike; figures are the
/// medians of the rounds. The loops are those of a run: the clients of a phase (``ThreadClients``, ``TaskClients``)
/// with the strategy `none` and nothing but reads of identical keys.
package struct Calibration: Sendable {
    /// One figure over all rounds.
    package struct Samples: Hashable, Sendable {
        /// In ascending order; at least one.
        package let values: [Double]

        package init(_ values: [Double]) {
            self.values = values.sorted()
        }

        package var median: Double { values.median ?? .nan }
        /// The lowest.
        package var lowest: Double { values.first ?? .nan }
        /// The highest.
        package var highest: Double { values.last ?? .nan }
    }

    /// A closed loop: the kind of its clients.
    package struct Loop: Hashable, Sendable {
        package var keys: KeyKind
        package var driver: Driver
        package var clients: Int
        /// Whether the strategy is called as a suspending one: the loop of an actor.
        package var suspends: Bool

        package init(keys: KeyKind, driver: Driver, clients: Int, suspends: Bool = false) {
            self.keys = keys
            self.driver = driver
            self.clients = clients
            self.suspends = suspends
        }
    }

    /// The throughput of two clients compared with one. Two clients can't double it where a neighbour uses one of the
    /// cores.
    package struct TwoClients: Sendable {
        package var driver: Driver
        /// Their throughput as a multiple of one client's in the same round.
        package var multiple: Samples
        /// How many cores two threads that only compute got in the same round.
        package var freeCores: Samples
        /// The multiple divided by the cores that were free.
        package var perFreeCore: Samples
    }

    /// How late a client wakes that waits for a moment.
    package struct Lateness: Sendable {
        package var driver: Driver
        /// In nanoseconds; `nil` when nothing was measured.
        package var summary: LatencySummary?
    }

    /// Nanoseconds of the empty loop in which the parts are measured.
    package var emptyLoop: Samples
    /// Nanoseconds of a clock read.
    package var clockRead: Samples
    /// Nanoseconds of recording a latency.
    package var record: Samples
    /// Nanoseconds of two clock reads and recording: the least that a timed operation can cost.
    package var floor: Samples
    /// Nanoseconds of an operation: the phase's time divided by the operations of one client.
    package var loops: [(loop: Loop, nanoseconds: Samples)]
    /// An operation's nanoseconds as a multiple of the floor in the same round.
    package var ratiosToFloor: [Loop: Samples]
    package var twoClients: [TwoClients]
    package var lateness: [Lateness]
    /// What disturbed the machine during the calibration.
    package var noise: MachineNoise
    /// How often the thread that measured the parts was moved to another core.
    package var migrations: UInt64?

    /// Measures everything; takes about 0.8 s a round.
    ///
    /// - Parameters:
    ///   - rounds: the number of rounds, at least 1.
    ///   - loopNanoseconds: about how long one loop runs in a round.
    @concurrent
    package static func measure(rounds: Int = 9, loopNanoseconds: UInt64 = 50_000_000) async -> Calibration {
        var gathering = CalibrationRounds(loopNanoseconds: loopNanoseconds)
        let before = NoiseReading.current()
        await gathering.prepare()
        for _ in 0..<max(1, rounds) { await gathering.addRound() }
        return gathering.calibration(noise: MachineNoise(from: before, to: .current()))
    }
}
