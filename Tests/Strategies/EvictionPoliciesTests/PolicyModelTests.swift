import TestTiers
import Testing
import TrialModel

@testable import EvictionPolicies

/// One capacity, and the sequence of operations that is tested with it.
struct ModelCase: Sendable, CustomTestStringConvertible {
    let capacity: PolicyCapacity
    let seed: UInt64
    /// What weights are multiples of.
    var unit: UInt64 = 1

    var limit: Int {
        switch capacity {
        case .entries(let count): count
        case .weight(let weight): Int(weight)
        }
    }
    var countsEntries: Bool { capacity == .entries(limit) }
    var testDescription: String { "\(capacity), seed \(seed)" }

    /// The weight of an insert, mostly below 12 units.
    func weight(_ random: inout RandomSource) -> UInt64 {
        random.next(below: random.next(below: 40) == 0 ? 500 : 12) * unit
    }

    func charge(_ weight: UInt64) -> Int { countsEntries ? 1 : Int(max(weight, 1)) }

    static let all: [ModelCase] =
        [
            PolicyCapacity.entries(0), .entries(1), .entries(2), .entries(3), .entries(7), .entries(24), .entries(130),
            .weight(0), .weight(1), .weight(2), .weight(9), .weight(60), .weight(400),
        ].flatMap { capacity in (1...(TestTier.isNightly ? 4 : 1)).map { ModelCase(capacity: capacity, seed: $0) } }
        + large

    /// Some weights have 32 bits, others up to 41, and one unit has 32 of them.
    private static let large: [ModelCase] = [60, 400].flatMap { limit in
        [1 << 30, UInt64(UInt32.max)].map { ModelCase(capacity: .weight(limit * $0), seed: 5, unit: $0) }
    }
}

/// Random operations on every policy and on a model of plain arrays; both are compared after each.
@Suite(.timeLimit(.minutes(5)))
struct PolicyModelTests {
    @Test(arguments: ModelCase.all) func `every policy decides as its model`(_ test: ModelCase) throws {
        try compare(test, LRUModel.init(limit:)) { LRUPolicy(capacity: $0) }
        try compare(test, FIFOModel.init(limit:)) { FIFOPolicy(capacity: $0) }
        try compare(test, CLOCKModel.init(limit:)) { CLOCKPolicy(capacity: $0) }
        try compare(test, SIEVEModel.init(limit:)) { SIEVEPolicy(capacity: $0) }
        try compare(test, LFUModel.init(limit:)) { LFUPolicy(capacity: $0) }
        try compare(test, TwoQueueModel.init(limit:)) { TwoQueuePolicy(capacity: $0) }
        try compare(test, S3FIFOModel.init(limit:)) { S3FIFOPolicy(capacity: $0) }
        try compare(test, ARCModel.init(limit:)) { ARCPolicy(capacity: $0) }
        try compare(test, CARModel.init(limit:)) { CARPolicy(capacity: $0) }
        try compare(test, { CLOCKProModel(limit: $0, countsEntries: test.countsEntries) }) {
            CLOCKProPolicy(capacity: $0)
        }
        try compare(test, { WindowedFIFOModel(limit: $0) }) { S4FIFOPolicy(capacity: $0) }
        try compare(test, { WindowedFIFOModel(limit: $0) }) {
            S3FIFOPolicy(capacity: $0, settings: PolicySettings(choosing: (S3FIFOPolicy.filling, 1)))
        }
        try compare(test, WindowedFIFOModel.s4FIFO(limit:)) {
            typealias Rules = S4FIFORules
            let settings = PolicySettings(choosing: (Rules.window, 0.75), (Rules.uses, 1), (Rules.retries, 1))
            return S4FIFOPolicy(capacity: $0, settings: settings)
        }
        try compare(test, WindowedFIFOModel.clock2QPlus(limit:)) { Clock2QPlusPolicy(capacity: $0) }
        try compare(test, { LIRSModel(limit: $0, countsEntries: test.countsEntries) }) { LIRSPolicy(capacity: $0) }
        try compare(test, { LIRSModel(limit: $0, countsEntries: test.countsEntries, stackLimit: 2) }) {
            LIRSPolicy(capacity: $0, stackLimit: 2)
        }
        try compare(test, { LIRSModel(limit: $0, countsEntries: test.countsEntries, stackLimit: 3, hirShare: 0.2) }) {
            let settings = PolicySettings(choosing: (LIRSPolicy.hirShare, 0.2), (LIRSPolicy.stackMultiple, 3))
            return LIRSPolicy(capacity: $0, settings: settings)
        }
        try compare(test, { WTinyLFUModel(limit: $0, countsEntries: test.countsEntries) }) {
            WTinyLFUPolicy(capacity: $0)
        }
        try compare(test, { WTinyLFUModel(limit: $0, countsEntries: test.countsEntries, windowShare: 0.3) }) {
            WTinyLFUPolicy(capacity: $0, settings: PolicySettings(choosing: (WTinyLFUPolicy.windowShare, 0.3)))
        }
        try compare(test, UnboundedModel.init(limit:)) { _ in
            FIFOPolicy(capacity: test.countsEntries ? .entries(.max) : .weight(.max))
        }
        try compare(test, HyperbolicModel.init(limit:)) { HyperbolicPolicy(capacity: $0) }
        try compare(test, { LHDModel(limit: $0, interval: 1000) }) { LHDPolicy(capacity: $0) }
        try compare(test, { LeCaRModel(limit: $0) }) { LeCaRPolicy(capacity: $0) }
        try compare(test, { LeCaRModel(limit: $0, keepsUses: true) }) {
            var settings = PolicySettings()
            settings[LeCaRPolicy.keptUsesParameter] = 1
            return LeCaRPolicy(capacity: $0, settings: settings)
        }
        try compare(test, { CacheusModel(limit: $0, countsEntries: test.countsEntries) }) {
            CacheusPolicy(capacity: $0)
        }
    }

    /// Fewer cases than the others, because each update computes many ages.
    @Test(arguments: ModelCase.all.filter { $0.seed == 1 && $0.limit > 20 }) func `hit densities are as in their model`(
        _ test: ModelCase
    ) throws {
        try compare(test, { LHDModel(limit: $0, interval: 24) }) {
            var settings = PolicySettings()
            settings[LHDPolicy.intervalParameter] = 24
            return LHDPolicy(capacity: $0, settings: settings)
        }
    }

    @Test(arguments: ModelCase.all) func `every admission decides as its model`(_ test: ModelCase) throws {
        let capacity = test.capacity
        var settings = PolicySettings()
        func frequencies() -> TinyLFUAdmission { TinyLFUAdmission(capacity: capacity, settings: settings) }
        try compare(
            test, AdmittedModel(LRUModel(limit: test.limit), FrequencyRule(test)), LRUPolicy(capacity: capacity),
            frequencies())
        try compare(
            test, AdmittedModel(TwoQueueModel(limit: test.limit), FrequencyRule(test)),
            TwoQueuePolicy(capacity: capacity), frequencies())
        try compare(
            test, AdmittedModel(HyperbolicModel(limit: test.limit), FrequencyRule(test)),
            HyperbolicPolicy(capacity: capacity), frequencies())
        settings[SecondRequestAdmission.memoryParameter] = 50
        try compare(
            test, AdmittedModel(LFUModel(limit: test.limit), MemoryRule(memory: 50)), LFUPolicy(capacity: capacity),
            SecondRequestAdmission(capacity: capacity, settings: settings))
        settings[SizeAdmission.scaleParameter] = 9
        settings[SizeAdmission.limitParameter] = 60
        try compare(
            test, AdmittedModel(ARCModel(limit: test.limit), SizeRule(scale: 9, limit: 60)),
            ARCPolicy(capacity: capacity), SizeAdmission(capacity: capacity, settings: settings))
    }

    /// Runs one sequence of requests and removals on a policy with an admission, and on their model.
    private func compare<Policy: CheckedPolicy & ~Copyable, Model: PolicyModel>(
        _ test: ModelCase, _ model: Model, _ policy: consuming Policy, _ admission: any AdmissionPolicy
    ) throws {
        var model = model
        let objectCount = ObjectID(max(12, test.countsEntries ? test.limit * 2 : 60))
        var random = RandomSource(seed: test.seed, stream: UInt64(test.limit))
        for step in 0..<(TestTier.isNightly ? 700 : 300) {
            let object = nextObject(&random, step: step, of: objectCount)
            let weight = test.weight(&random)
            var (isHit, isModelHit) = (false, false)
            if random.next(below: 500) < 425 {
                isHit = policy.request(object, weight: weight, admission)
                isModelHit = model.lookup(object)
                if !isModelHit { _ = model.insert(object, charge: test.charge(weight)) }
            } else {
                policy.remove(object)
                model.discard(object)
            }
            try policy.checkInvariants()
            let held = Set((0..<objectCount).filter { policy.contains($0) })
            let known = Set((0..<objectCount).filter { policy.table.entry(of: $0) != 0 })
            let wanted = Set(model.residents.map(\.object))
            guard isHit == isModelHit, held == wanted, known == wanted.union(model.ghosts),
                policy.weight == UInt64(model.used)
            else {
                throw PolicyInvariantViolation(
                    "\(Policy.self) with \(type(of: admission)), step \(step): not as its model: \(held), \(known)")
            }
        }
    }

    @Test(arguments: ModelCase.all) func `segmented and multiple queues decide as their models`(
        _ test: ModelCase
    ) throws {
        try compare(test, { SegmentedLRUModel(limit: $0, upper: [Int(Double($0) * 0.8)]) }) { SLRUPolicy(capacity: $0) }
        try compare(test, { SegmentedLRUModel(limit: $0, upper: [$0 / 4, $0 / 4, $0 / 4]) }) {
            S4LRUPolicy(capacity: $0)
        }
        var queues = PolicySettings()
        queues[MQPolicy.queueCount] = 3
        queues[MQPolicy.lifetimeLength] = 25
        queues[MQPolicy.ghostShare] = 0.5
        try compare(test, { MQModel(limit: $0, queueCount: 3, lifetime: 25, ghostShare: 0.5) }) {
            MQPolicy(capacity: $0, settings: queues)
        }
        // These take as long as all others, and differ only in the number of queues.
        guard test.seed == 1 else { return }
        try compare(test, { MQModel(limit: $0) }) { MQPolicy(capacity: $0) }
        var segments = PolicySettings()
        segments[EqualSegments.number] = 7
        try compare(test, { SegmentedLRUModel(limit: $0, upper: Array(repeating: $0 / 7, count: 6)) }) {
            S4LRUPolicy(capacity: $0, settings: segments)
        }
    }

    @Test(arguments: ModelCase.all) func `policies that rank decide as their models`(_ test: ModelCase) throws {
        try compare(test, LFUDAModel.init(limit:)) { LFUDAPolicy(capacity: $0) }
        try compare(test, GDSFModel.init(limit:)) { GDSFPolicy(capacity: $0) }
        try compare(test, { LRUKModel(limit: $0) }) { LRUKPolicy(capacity: $0) }
        var uses = PolicySettings()
        uses[LRUKPolicy.useCount] = 3
        uses[LRUKPolicy.history] = 0.4
        try compare(test, { LRUKModel(limit: $0, k: 3, historyShare: 0.4) }) {
            LRUKPolicy(capacity: $0, settings: uses)
        }
    }

    /// Runs one sequence of operations on a policy and on its model.
    private func compare<Policy: CheckedPolicy & ~Copyable, Model: PolicyModel>(
        _ test: ModelCase, _ makeModel: (Int) -> Model, _ makePolicy: (PolicyCapacity) -> Policy
    ) throws {
        var policy = makePolicy(test.capacity)
        var model = makeModel(test.limit)
        // The objects for which a live cache would have a number.
        var known: Set<ObjectID> = []
        let objectCount = ObjectID(max(12, test.countsEntries ? test.limit * 2 : 60))
        var random = RandomSource(seed: test.seed, stream: UInt64(test.limit))
        func require(_ condition: Bool, _ step: Int, _ what: @autoclosure () -> String) throws {
            // The macro of the same name costs more than all the rest, even when it holds.
            if !condition {
                throw PolicyInvariantViolation("\(Policy.self), step \(step): not as its model: \(what())")
            }
        }
        for step in 0..<(TestTier.isNightly ? 700 : 300) {
            let object = nextObject(&random, step: step, of: objectCount)
            let weight = test.weight(&random)
            let operation = random.next(below: 500)
            if operation == 0 {
                policy = makePolicy(test.capacity)
                model = makeModel(test.limit)
                known = []
            }
            var sink = RecordingSink()
            let evictedBefore = model.evicted.count
            var isHit = false
            if operation < 375 {
                isHit = policy.lookup(object)
                try require(isHit == model.lookup(object), step, "lookup of \(object)")
            }
            if operation < 425, !isHit {
                known.insert(object)
                let isKept = policy.insert(object, weight: weight, &sink)
                try require(isKept == model.insert(object, charge: test.charge(weight)), step, "insert of \(object)")
            } else if operation >= 425 {
                policy.remove(object, &sink)
                model.discard(object)
                known.remove(object)
            }
            try require(sink.evictedObjects == Array(model.evicted[evictedBefore...]), step, "evictions")
            for forgotten in sink.forgottenObjects {
                try require(known.remove(forgotten) != nil, step, "\(forgotten) is forgotten twice")
            }
            try policy.checkInvariants()
            try require(policy.count == model.residents.count, step, "count \(policy.count)")
            try require(policy.weight == UInt64(model.used), step, "weight \(policy.weight)")
            for item in model.residents where !policy.contains(item.object) {
                try require(false, step, "\(item.object) is resident in the model only")
            }
            // After a lookup, some objects may still be about to be forgotten.
            if !isHit { try require(known == Set(model.residents.map(\.object) + model.ghosts), step, "what is known") }
        }
    }

    /// Skewed, with stretches of repetition and of scanning.
    private func nextObject(_ random: inout RandomSource, step: Int, of count: ObjectID) -> ObjectID {
        switch step / 100 % 3 {
        case 0: return ObjectID(step) % count
        case 1: return ObjectID(random.next(below: UInt64(count)))
        default:
            let fraction = random.nextFraction()
            return ObjectID(fraction * fraction * fraction * Double(count))
        }
    }
}
