import Testing

@testable import TrialModel

/// What the modes make of each property of a scenario and of a phase. A new property needs a line in a table here.
@Suite(.timeLimit(.minutes(1)))
struct ModeRulesTests {
    /// A way to run a scenario that changes or refuses some of its properties.
    enum Mode: String, CaseIterable {
        case smoke, contended, counted, checked
        /// Takes turns with trials of other strategies.
        case turns
        /// Compares its counts exactly.
        case exact
        /// Counts instructions.
        case instructions
    }

    /// A property with another value than its default, and the modes that change or refuse that value.
    struct Line<Root: Sendable>: Sendable {
        let name: String
        let set: @Sendable (inout Root) -> Void
        let modes: Set<Mode>

        init(_ name: String, _ modes: Set<Mode> = [], _ set: @escaping @Sendable (inout Root) -> Void) {
            (self.name, self.modes, self.set) = (name, modes, set)
        }
    }

    private static let phases: [Line<Phase>] = [
        Line("name") { $0.name = "other" },
        Line("length", [.smoke, .contended, .counted, .checked]) { $0.length = .operations(1_000_000_000) },
        Line("clients", [.contended, .exact, .instructions]) { $0.clients = 9 },
        Line("arrival", [.smoke, .contended, .counted, .turns, .exact, .instructions]) {
            $0.arrival = .open(.constant(1), .even)
        },
        Line("driver", [.contended]) { $0.driver = .tasks },
        Line("thinkTime", [.smoke, .contended, .counted, .turns]) { $0.thinkTime = .fixed(1_000_000_000) },
        Line("mix", [.exact, .instructions]) { $0.mix = OperationMix([.burst: 1]) },
        Line("pools") { $0.pools = [PoolUse(pool: 0, weight: 1, mix: $0.mix)] },
        Line("burstWidth", [.contended]) { $0.burstWidth = 9 },
        Line("cancel", [.contended, .turns, .exact]) { $0.cancel = .defaults.with { $0.after = 1_000_000_000 } },
        Line("keys") { $0.keys = .defaults.with { $0.count = 5 } },
        Line("warmUp", [.exact, .instructions]) { $0.warmUp = true },
        Line("reopen") { $0.reopen = true },
        Line("offline") { $0.offline = true },
        Line("expectations", [.smoke, .contended, .counted]) { $0.expectations = [.duplicateLoads(atMost: 0)] },
        Line("script") { $0.script = ScheduleScript(callers: []) },
        Line("frames", [.smoke, .contended, .counted, .turns, .exact]) { $0.frames = .defaults },
        Line("memoryPressure", [.counted, .turns, .exact]) { $0.memoryPressure = .warning },
        Line("invalidation", [.smoke, .contended, .counted, .turns, .exact]) { $0.invalidation = .defaults },
        Line("prefetching", [.counted, .turns, .exact]) { $0.prefetching = .defaults },
    ]

    private static let scenarios: [Line<Scenario>] = [
        Line("point") { $0.point = "other" }, Line("title") { $0.title = "other" },
        Line("question") { $0.question.text = "Why?" }, Line("seed") { $0.seed = 2 },
        Line("repetitions", [.smoke]) { $0.repetitions = 9 },
        Line("keys") { $0.keys.count = 5 }, Line("pools") { $0.pools = [.defaults] },
        Line("values", [.contended, .exact]) {
            $0.values = ValueSpecification(kind: .bytes, size: .fixed(5_000)).with { $0.timeToLive = 5 }
        },
        Line("capacity") { $0.capacity.entries = 5 },
        Line("origin", [.smoke, .contended, .counted, .turns]) { $0.origin.delay = .fixed(1_000_000_000) },
        Line("strategies") { $0.strategies = ["lru"] }, Line("timelineInterval") { $0.timelineInterval = 5 },
        Line("smallestDifferences") { $0.smallestDifferences = [:] },
        Line("phases", [.smoke, .contended, .counted]) { $0.phases[0].expectations = [.duplicateLoads(atMost: 0)] },
        Line("check", [.contended, .counted, .turns]) { $0.check = true },
    ]

    /// A scenario that every mode leaves as it is, but for the origin and what each mode sets itself.
    private static let plain = Scenario.defaults.with {
        $0.phases = [Phase(name: "p", length: .operations(1), clients: 1, mix: OperationMix([.read: 1]))]
    }

    /// The modes that change a value of a property, or refuse the scenario that has it.
    private static func modes<Property>(_ scenario: Scenario, _ read: (Scenario) -> Property) -> Set<Mode> {
        var modes: Set<Mode> = []
        func text(_ scenario: Scenario) -> String { String(describing: read(scenario)) }
        let changed: [(mode: Mode, change: (Scenario) -> Scenario)] = [
            (.smoke, { $0.smoke() }), (.contended, { $0.contended() }), (.counted, { $0.counted() }),
            (.checked, { $0.checkable() }),
        ]
        for (mode, change) in changed where text(change(scenario)) != text(scenario) { modes.insert(mode) }
        if scenario.reasonAgainstTurns != nil { modes.insert(.turns) }
        if scenario.exactPhases.isEmpty { modes.insert(.exact) }
        if !scenario.phases[0].isCounted { modes.insert(.instructions) }
        return modes
    }

    private static func property<Root>(_ name: String, of root: Root) -> Any {
        Mirror(reflecting: root).children.first { $0.label == name }?.value ?? "no property"
    }

    @Test(arguments: phases.indices) func `each mode treats a property of a phase as its line says`(index: Int) {
        let line = Self.phases[index]
        let scenario = Self.plain.with { line.set(&$0.phases[0]) }
        #expect(Self.modes(scenario) { Self.property(line.name, of: $0.phases[0]) } == line.modes, "\(line.name)")
    }

    @Test(arguments: scenarios.indices) func `each mode treats a property of a scenario as its line says`(index: Int) {
        let line = Self.scenarios[index]
        let scenario = Self.plain.with(line.set)
        #expect(Self.modes(scenario) { Self.property(line.name, of: $0) } == line.modes, "\(line.name)")
    }

    @Test func `every property has a line`() {
        #expect(Self.phases.map(\.name) == Mirror(reflecting: Phase.defaults).children.compactMap(\.label))
        #expect(Self.scenarios.map(\.name) == Mirror(reflecting: Scenario.defaults).children.compactMap(\.label))
    }

    @Test func `loads take the share of operations that a strategy does not have`() {
        let scenario = Self.phase { $0.mix = OperationMix([.read: 50, .load: 20, .write: 25, .remove: 5]) }
        #expect(scenario.sending(only: [.load, .burst, .prefetch]).phases[0].mix == OperationMix([.load: 100]))
        let mix = scenario.sending(only: [.read, .load, .write]).phases[0].mix
        #expect(mix == OperationMix([.read: 50, .load: 25, .write: 25]))
        #expect(scenario.sending(only: Set(OperationKind.allCases)) == scenario)
    }

    @Test func `loads take the place of what a strategy does not have in a trace as well`() {
        let mix = Self.phase { $0.mix = .traced }.sending(only: [.load, .write]).phases[0].mix
        #expect(mix.followsTrace && mix.weights == [.load: 2, .write: 1])
    }

    @Test func `where a load may time out, and after an inexact phase, no count is exact`() {
        #expect(Self.plain.with { $0.origin.timeout = 1_000_000_000 }.exactPhases.isEmpty)
        let prefetched = Self.plain.phases[0].with { ($0.name, $0.prefetching, $0.warmUp) = ("q", .defaults, true) }
        #expect(Self.plain.with { $0.phases.insert(prefetched, at: 0) }.exactPhases.isEmpty)
    }

    // MARK: Amounts

    private static func phase(_ change: (inout Phase) -> Void) -> Scenario { plain.with { change(&$0.phases[0]) } }

    @Test(
        arguments: [
            (.duration(nanoseconds: 60_000_000_000), 200), (.operations(1_000), 200), (.operations(50), 50),
        ] as [(PhaseLength, Int)])
    func `a smoke test cuts a phase to a number of operations`(length: PhaseLength, expected: Int) {
        #expect(Self.phase { $0.length = length }.smoke().phases.map(\.length) == [.operations(expected)])
    }

    @Test func `a smoke test runs once and cuts delays and pauses`() {
        let slow = Self.phase { $0.thinkTime = .uniform(min: 0, max: 9_000_000_000) }
        let small = slow.with { $0.origin.delay = .fixed(50_000_000) }.smoke()
        #expect(small.repetitions == 1)
        #expect(small.origin.delay == .fixed(2_000_000))
        #expect(small.phases.map(\.thinkTime) == [.uniform(min: 0, max: 100_000)])
    }

    @Test(arguments: [(1, 4), (4, 4), (6, 6), (1_000, 8)])
    func `for a sanitizer a phase has four to eight clients`(clients: Int, expected: Int) {
        #expect(Self.phase { $0.clients = clients }.contended().phases.map(\.clients) == [expected])
    }

    @Test func `for a sanitizer clients run on threads without a pause for a fixed time`() {
        let busy = Self.phase { ($0.thinkTime, $0.burstWidth) = (.fixed(1_000_000), 64) }
        let phase = busy.contended(phaseNanoseconds: 1_000).phases[0]
        #expect(phase.driver == .threads)
        #expect(phase.thinkTime == .fixed(0))
        #expect(phase.length == .duration(nanoseconds: 1_000))
        #expect(phase.burstWidth == 8)
        let warmUp = Self.phase { $0.warmUp = true }.contended(phaseNanoseconds: 1_000)
        #expect(warmUp.phases[0].length == .duration(nanoseconds: 250))
    }

    @Test func `for a sanitizer the origin is in the process and fast`() {
        let origin = Self.plain.with { $0.origin.delay = .fixed(50_000_000) }.contended().origin
        #expect(origin.kind == .memory)
        #expect(origin.delay == .fixed(200_000))
    }

    @Test(arguments: [(1 << 20, 64 << 20, 4_096, 64 * 4_096), (4_096, 100, 4_096, 100)])
    func `for a sanitizer large values shrink, and the capacity with them`(
        size: Int, capacity: Int, smaller: UInt64, bytes: Int
    ) {
        let large = Self.plain.with {
            $0.values.size = .fixed(UInt64(size))
            $0.capacity = Capacity(entries: 4, bytes: capacity)
        }
        #expect(large.contended().values.size == .fixed(smaller))
        #expect(large.contended().capacity == Capacity(entries: 4, bytes: bytes))
    }

    @Test func `instructions are counted without the clock, a delay or several clients of a warm-up`() {
        let read = OperationMix([.read: 1])
        let counted = Self.plain.with {
            $0.phases = [
                Phase(name: "fill", length: .operations(90_000), clients: 8, mix: read, warmUp: true),
                Phase(name: "timed", length: .duration(nanoseconds: 1_000_000_000), clients: 1, mix: read),
                Phase(name: "crowd", length: .operations(10), clients: 4, mix: read),
                Phase(name: "bursts", length: .operations(10), clients: 1, mix: OperationMix([.burst: 1])),
            ]
            $0.phases[0].arrival = .trace
            $0.origin.delay = .fixed(5_000_000)
        }.counted()
        #expect(counted.phases.filter(\.isCounted).map(\.name) == ["timed"])
        let most = Scenario.countedOperationCountMax
        #expect(
            counted.phases.map(\.length) == [.operations(most), .operations(most), .operations(10), .operations(10)])
        #expect(counted.phases[0].clients == 1)
        #expect(counted.phases.allSatisfy { $0.arrival == .closed })
        #expect(counted.origin == OriginSpecification(kind: .memory, delay: .fixed(0)))
    }

    @Test(arguments: [Arrival.trace, .open(.constant(1), .even)])
    func `where instructions are counted, an open phase takes no time for its arrivals, and is not counted`(
        arrival: Arrival
    ) throws {
        let slow = Self.phase { ($0.arrival, $0.length) = (arrival, .duration(nanoseconds: 1_000_000_000)) }
        let phase = slow.counted().phases[0]
        guard case .open(let rate, let spacing) = phase.arrival, case .operations(let count) = phase.length else {
            Issue.record("\(phase)")
            return
        }
        #expect(count == Scenario.countedOperationCountMax && rate.nanoseconds(of: count, spacing) < 100_000)
        #expect(!phase.isCounted)
    }
}
