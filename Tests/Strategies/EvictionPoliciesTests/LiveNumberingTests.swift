import Testing

@testable import EvictionPolicies

/// Uses a policy as a live cache does: the cache numbers its keys while the policy knows them, and reuses numbers
/// that the policy forgot.
@Suite(.timeLimit(.minutes(5)))
struct LiveNumberingTests {
    @Test(arguments: SyntheticTrace.allCases) func `reused numbers change no decision`(
        _ trace: SyntheticTrace
    ) throws {
        try compare(trace, LRUPolicy(capacity: .entries(80)), LRU<UnitEntry>(capacity: .entries(80)), numbers: 80)
        try compare(trace, FIFOPolicy(capacity: .entries(80)), FIFO<UnitEntry>(capacity: .entries(80)), numbers: 80)
        try compare(trace, CLOCKPolicy(capacity: .entries(80)), CLOCK<UnitEntry>(capacity: .entries(80)), numbers: 80)
        try compare(trace, SIEVEPolicy(capacity: .entries(80)), SIEVE<UnitEntry>(capacity: .entries(80)), numbers: 80)
        try compare(trace, RandomPolicy(capacity: .entries(80)), RandomPolicy(capacity: .entries(80)), numbers: 80)
        try compare(trace, LFUPolicy(capacity: .entries(80)), LFUPolicy(capacity: .entries(80)), numbers: 80)
        try compare(
            trace, TwoQueuePolicy(capacity: .entries(80)), TwoQueue<LiveEntry>(capacity: .entries(80)), numbers: 120)
        try compare(
            trace, S3FIFOPolicy(capacity: .entries(80)), S3FIFO<LiveEntry>(capacity: .entries(80)), numbers: 152)
        try compare(trace, ARCPolicy(capacity: .entries(80)), ARC<LiveEntry>(capacity: .entries(80)), numbers: 160)
        try compare(trace, CLOCKProPolicy(capacity: .entries(80)), CLOCKProPolicy(capacity: .entries(80)), numbers: 160)
        try compare(trace, CARPolicy(capacity: .entries(80)), CAR<LiveEntry>(capacity: .entries(80)), numbers: 160)
        try compare(
            trace, S4FIFOPolicy(capacity: .entries(80)), S4FIFO<LiveEntry>(capacity: .entries(80)), numbers: 152)
        try compare(
            trace, Clock2QPlusPolicy(capacity: .entries(80)), Clock2QPlus<LiveEntry>(capacity: .entries(80)),
            numbers: 152)
        // S keeps within its limit; some resident objects are outside S, and some are about to be forgotten.
        try compare(
            trace, LIRSPolicy(capacity: .entries(80), stackLimit: 3),
            LIRS<LiveEntry>(capacity: .entries(80), stackLimit: 3),
            numbers: 400)
        try compare(
            trace, WTinyLFUPolicy(capacity: .entries(80)), WTinyLFU<LiveEntry>(capacity: .entries(80)), numbers: 80
        ) {
            $0.setFingerprint($2, of: $1)
        }
    }

    @Test(arguments: SyntheticTrace.allCases) func `reused numbers change no decision of segments, ranks and queues`(
        _ trace: SyntheticTrace
    ) throws {
        try compare(trace, SLRUPolicy(capacity: .entries(80)), SLRU<UnitEntry>(capacity: .entries(80)), numbers: 80)
        try compare(trace, S4LRUPolicy(capacity: .entries(80)), S4LRUPolicy(capacity: .entries(80)), numbers: 80)
        try compare(trace, GDSFPolicy(capacity: .entries(80)), GDSF<UnitEntry>(capacity: .entries(80)), numbers: 80)
        try compare(trace, GDSFPolicy(capacity: .weight(80)), GDSF<LiveEntry>(capacity: .weight(80)), numbers: 80)
        try compare(trace, LFUDAPolicy(capacity: .entries(80)), LFUDAPolicy(capacity: .entries(80)), numbers: 80)
        try compare(trace, LRUKPolicy(capacity: .entries(80)), LRUKPolicy(capacity: .entries(80)), numbers: 160)
        try compare(trace, MQPolicy(capacity: .entries(80)), MQPolicy(capacity: .entries(80)), numbers: 400)
    }

    /// - Parameters:
    ///   - numbers: how many numbers the policy may keep in use after a request.
    ///   - identify: receives the policy, a number and the key that it denotes from now on.
    private func compare<Replayed: TablePolicy & ~Copyable, Policy: CheckedPolicy & ~Copyable>(
        _ trace: SyntheticTrace, _ replayed: consuming Replayed, _ live: consuming Policy, numbers: Int,
        identify: (inout Policy, ObjectID, ObjectID) -> Void = { _, _, _ in }
    ) throws {
        var numbering = Numbering()
        for (index, key) in trace.objects.prefix(8000).enumerated() {
            var isHit = false
            if let number = numbering.numbers[key] { isHit = live.lookup(number) }
            if !isHit {
                let number = numbering.number(of: key)
                identify(&live, number, key)
                _ = live.insert(number, weight: 1, &numbering)
            }
            guard replayed.request(key, weight: 1) == isHit else {
                throw PolicyInvariantViolation("\(Policy.self), \(trace): request \(index) is decided otherwise")
            }
            guard numbering.numbers.count <= numbers else {
                throw PolicyInvariantViolation("\(Policy.self), \(trace): \(numbering.numbers.count) numbers are busy")
            }
        }
        try live.checkInvariants()
    }

    private struct Numbering: EvictionSink {
        var numbers: [ObjectID: ObjectID] = [:]
        var keys: [ObjectID] = []
        var free: [ObjectID] = []

        mutating func number(of key: ObjectID) -> ObjectID {
            if let number = numbers[key] { return number }
            let number: ObjectID
            if let last = free.popLast() {
                number = last
                keys[Int(number)] = key
            } else {
                number = ObjectID(keys.count)
                keys.append(key)
            }
            numbers[key] = number
            return number
        }

        mutating func evicted(_ object: ObjectID) {}

        mutating func forgotten(_ object: ObjectID) {
            numbers[keys[Int(object)]] = nil
            free.append(object)
        }
    }
}
