import CacheStrategies
import Foundation
package import Measurement
import Origins
import Platform
import TimedStrategies
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
            (self.keys, self.driver, self.clients, self.suspends) = (keys, driver, clients, suspends)
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

/// The rounds of a calibration, one after the other.
struct CalibrationRounds {
    private typealias Loop = Calibration.Loop

    private static let loops: [Loop] =
        [Driver.threads, .tasks].flatMap { driver in
            [KeyKind.integer, .string, .url].map { Loop(keys: $0, driver: driver, clients: 1) }
        } + [Loop(keys: .integer, driver: .tasks, clients: 1, suspends: true)]
        + [Loop(keys: .integer, driver: .threads, clients: 2), Loop(keys: .integer, driver: .tasks, clients: 2)]

    private let loopNanoseconds: UInt64
    private let loop = CalibrationLoop()
    /// How many operations each client sends.
    private var operations: [Loop: Int] = [:]
    private var basics: [BasicCosts] = []
    /// Nanoseconds of a client's operation, by round.
    private var times: [Loop: [Double]] = [:]
    /// How many cores were free for two threads, by round: the mean of the readings before and after each loop of two
    /// clients.
    private var freeCores: [Driver: [Double]] = [:]
    private var lateness: [Driver: LatencyHistogram] = [:]
    private var migrations: UInt64?

    init(loopNanoseconds: UInt64) {
        self.loopNanoseconds = loopNanoseconds
    }

    /// Runs every loop once, to find the number of operations that fills a round.
    mutating func prepare() async {
        for loop in Self.loops {
            // The first run pays for one-time set-up.
            _ = await self.loop.nanosecondsPerOperation(loop, operations: 1_000)
            let nanoseconds = await self.loop.nanosecondsPerOperation(loop, operations: 10_000)
            let fitting = Double(loopNanoseconds) / max(nanoseconds, 1)
            operations[loop] = Int(min(max(fitting, 1_000), 50_000_000))
        }
    }

    mutating func addRound() async {
        let nanoseconds = loopNanoseconds / 2
        let parts = await DedicatedThreads.run(count: 1) { _ in
            (BasicCosts.round(nanoseconds: nanoseconds), NoiseReading.migrationsOfThread())
        }
        for (costs, moved) in parts {
            basics.append(costs)
            if let moved { migrations = (migrations ?? 0) + moved }
        }
        for loop in Self.loops {
            let before = loop.clients > 1 ? await Self.freeCores() : 0
            times[loop, default: []].append(
                await self.loop.nanosecondsPerOperation(loop, operations: operations[loop] ?? 1_000))
            guard loop.clients > 1 else { continue }
            freeCores[loop.driver, default: []].append((before + (await Self.freeCores())) / 2)
        }
        for driver in [Driver.threads, .tasks] {
            let waits = driver == .threads ? await Self.waitOnThread() : await Self.waitInTask()
            for nanoseconds in waits { lateness[driver, default: LatencyHistogram()].record(nanoseconds) }
        }
    }

    func calibration(noise: MachineNoise) -> Calibration {
        let floors = basics.map(\.floor)
        let ratios = times.mapValues { times in Calibration.Samples(zip(times, floors).map { $0 / $1 }) }
        return Calibration(
            emptyLoop: Calibration.Samples(basics.map(\.emptyLoop)),
            clockRead: Calibration.Samples(basics.map(\.clockRead)),
            record: Calibration.Samples(basics.map(\.record)), floor: Calibration.Samples(floors),
            loops: Self.loops.map { ($0, Calibration.Samples(times[$0] ?? [])) }, ratiosToFloor: ratios,
            twoClients: [Driver.threads, .tasks].map { driver in
                let one = times[Loop(keys: .integer, driver: driver, clients: 1)] ?? []
                let two = times[Loop(keys: .integer, driver: driver, clients: 2)] ?? []
                let multiples = zip(one, two).map { 2 * $0 / $1 }
                let cores = freeCores[driver] ?? []
                return Calibration.TwoClients(
                    driver: driver, multiple: Calibration.Samples(multiples), freeCores: Calibration.Samples(cores),
                    perFreeCore: Calibration.Samples(zip(multiples, cores).map { $0 / $1 }))
            },
            lateness: [Driver.threads, .tasks].map {
                Calibration.Lateness(driver: $0, summary: lateness[$0]?.summary())
            },
            noise: noise, migrations: migrations)
    }

    /// How many cores are free for two threads: compares the same loop on one thread and on two at once.
    private static func freeCores() async -> Double {
        func nanoseconds(threads: Int) async -> Double {
            let start = Nanoclock.now()
            let sums = await DedicatedThreads.run(count: threads) { _ in BasicCosts.spin(steps: 5_000_000) }
            let end = Nanoclock.now()
            // The sums are made of random numbers, so they are never 0.
            return sums.contains(0) ? .nan : Double(Nanoclock.elapsed(from: start, to: end))
        }
        let alone = await nanoseconds(threads: 1)
        return 2 * alone / (await nanoseconds(threads: 2))
    }

    private static let waitsPerRound = 50
    private static let nanosecondsBetweenWaits: UInt64 = 1_000_000

    /// How late a thread wakes that waits for moments a millisecond apart.
    private static func waitOnThread() async -> [UInt64] {
        await DedicatedThreads.run(count: 1) { _ in
            var due = Nanoclock.now()
            return (0..<waitsPerRound).map { _ -> UInt64 in
                due &+= nanosecondsBetweenWaits
                Nanoclock.sleep(until: due)
                return Nanoclock.elapsed(from: due, to: Nanoclock.now())
            }
        }.flatMap { $0 }
    }

    /// How late a task wakes that waits for moments a millisecond apart.
    private static func waitInTask() async -> [UInt64] {
        let timer = DueTimer()
        defer { timer.stop() }
        var due = Nanoclock.now()
        var waits: [UInt64] = []
        for _ in 0..<waitsPerRound {
            due &+= nanosecondsBetweenWaits
            await timer.sleep(until: due)
            waits.append(Nanoclock.elapsed(from: due, to: Nanoclock.now()))
        }
        return waits
    }
}

/// The loop of a phase's clients, with a strategy that does nothing.
private struct CalibrationLoop: Sendable {
    private static let none = Strategy(
        NoCache<Int, Payload>.self, NoCache<String, Payload>.self, NoCache<URL, Payload>.self)
    private static let suspending = Strategy(
        suspending: NoCache<Int, Payload>.self, NoCache<String, Payload>.self, NoCache<URL, Payload>.self)
    private static let keyCount = 1_000

    private let scenario: Scenario
    private let payloads: PayloadFactory
    private let origin: MemoryOrigin

    init() {
        scenario = Scenario(
            name: "calibration", title: "", seed: 1, repetitions: 1,
            keys: KeySpace(kind: .integer, count: Self.keyCount, popularity: .uniform),
            values: ValueSpecification(kind: .bytes, size: .fixed(64)), capacity: Capacity(),
            origin: OriginSpecification(kind: .memory, delay: .fixed(0)), strategies: nil, phases: [])
        payloads = PayloadFactory(specification: scenario.values, seed: scenario.seed)
        origin = MemoryOrigin(
            scenarioSeed: scenario.seed, values: scenario.values, origin: scenario.origin, payloads: payloads)
    }

    /// Runs a phase and divides its time by the operations of one client.
    func nanosecondsPerOperation(_ loop: Calibration.Loop, operations: Int) async -> Double {
        var scenario = scenario
        scenario.phases = [
            Phase(
                name: "reads", length: .operations(operations * loop.clients), clients: loop.clients,
                mix: OperationMix([.read: 1]))
        ]
        let none = loop.suspends ? Self.suspending : Self.none
        guard let strategy = try? none.opening(loop.keys, keyCount: Self.keyCount)(StrategyConfiguration()) else {
            return .nan
        }
        let work = PhaseWork(
            strategy: strategy, sizes: Array(repeating: 64, count: Self.keyCount), origin: origin, payloads: payloads,
            trace: nil, arrivals: nil, scenario: scenario, phaseIndex: 0, recordCountMax: nil)
        let outcome = loop.driver == .threads ? await ThreadClients.run(work) : await TaskClients.run(work)
        return Double(outcome.elapsedNanoseconds) / Double(operations)
    }
}
