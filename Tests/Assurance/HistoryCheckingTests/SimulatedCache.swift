import TrialModel

@testable import HistoryChecking

/// A cache, its callers and its origin in one loop that takes one step after another, chosen by a seed. It records a
/// history that a sound strategy may produce, unless a fault is set.
struct SimulatedCache {
    /// The strategy's behaviour, and its fault.
    struct Behaviour {
        var coalesces = false
        var keepsNewerWrites = false
        /// The fault, and how often it occurs.
        var fault: Fault?
        var faultShare = 0.3
        var evictionShare = 0.1
        /// The most that the cache holds, in the unit of ``cost``; `nil` for no limit.
        var limit: Int?
        var cost: @Sendable (_ key: UInt32, _ version: UInt64) -> Int = { _, _ in 1 }
        /// How long an entry lives, and whether a use prolongs it; `nil` for ever.
        var lifetime: UInt64?
        var isSliding = false
        /// The longest time between two steps.
        var pauseMax: UInt64 = 2
        /// The share of the requests that fail, of the callers that give up, and of the writes whose outcome is unknown.
        var failureShare = 0.0
        var cancellationShare = 0.0
        var unknownWriteShare = 0.0
        /// Weights of reads, loads, writes, removals and clears.
        var mix: [UInt64] = [4, 3, 2, 1, 0]
    }

    enum Fault: CaseIterable {
        /// A hit returns the previous version.
        case staleHit
        /// A removal does not remove.
        case lostRemoval
        /// A missing value comes back.
        case comesBack
        /// A load inserts although its key was written.
        case overwritesNewer
        /// A load is joined although its key was written.
        case joinsOlder
        /// A caller starts a load although one is in flight.
        case secondLoad
        /// A load fails without a request.
        case keptError
        /// A waiting caller is cancelled because another caller was.
        case sharedCancellation
        /// A hit is another key's value.
        case otherKey
        /// A value is inserted without room for it.
        case overfull
        /// An entry goes although there is room for it.
        case forgets
        /// An entry is found after its lifetime.
        case outlives
    }

    private struct Caller {
        enum State { case idle, called, waiting(Int), returning }
        var state = State.idle
        var record = OperationRecord(.read, key: 0, outcome: .done, call: 0, answer: 0)
        var records: [OperationRecord] = []
    }

    private struct Load {
        enum State { case begun, requested, answered, failed, ended }
        var state = State.begun
        var key: UInt32
        var version: UInt64 = 0
        var start: UInt64 = 0
        var isOvertaken = false
        /// The caller that began it, as long as it waits.
        var owner: Int?
        var waiters: [Int] = []
    }

    private let behaviour: Behaviour
    private var random: RandomSource
    private var now: UInt64 = 1
    private var callers: [Caller]
    private var loads: [Load] = []
    /// Loads that have not ended.
    private var active: [Int] = []
    private var joinable: [UInt32: Int] = [:]
    private var held: [UInt32: UInt64] = [:]
    /// When the lifetime of a held entry ends.
    private var expiries: [UInt32: UInt64] = [:]
    /// The earlier versions of a key in the cache.
    private var past: [UInt32: UInt64] = [:]
    private var lateWrites: [(key: UInt32, version: UInt64)] = []
    private var versions: [UInt32: UInt64] = [:]
    private var writes: UInt64 = 1 << 40
    private var requests: [RequestRecord] = []
    /// How often the fault occurred.
    private(set) var faultCount = 0

    init(seed: UInt64, callers: Int, _ behaviour: Behaviour = Behaviour()) {
        self.behaviour = behaviour
        random = RandomSource(seed: seed, stream: 7)
        self.callers = Array(repeating: Caller(), count: callers)
    }

    /// Runs some operations to their end.
    mutating func run(operations: Int, keys: UInt64) -> History {
        var left = operations
        while true {
            let pause = random.next(below: behaviour.pauseMax + 1)
            now += pause
            evictSometimes()
            let isBusy = callers.contains { if case .idle = $0.state { false } else { true } }
            if left == 0, !isBusy { break }
            let number = Int(random.next(below: UInt64(callers.count + active.count)))
            if number < callers.count {
                if case .idle = callers[number].state {
                    if left > 0 { left -= 1; begin(number, keys) }
                } else {
                    step(number)
                }
            } else {
                advance(active[number - callers.count])
            }
        }
        return History(callers: callers.map(\.records), requests: requests)
    }

    private mutating func happens(_ share: Double) -> Bool { random.nextFraction() < share }

    private mutating func fails(_ fault: Fault) -> Bool {
        behaviour.fault == fault && happens(behaviour.faultShare)
    }

    private mutating func evictSometimes() {
        if happens(behaviour.evictionShare), let key = held.keys.sorted().first { held[key] = nil }
        if fails(.forgets), let key = held.keys.sorted().first {
            faultCount += 1
            held[key] = nil
        }
        if happens(0.1), let write = lateWrites.popLast() { change(write.key, write.version) }
    }

    private mutating func begin(_ number: Int, _ keys: UInt64) {
        var choice = random.next(below: behaviour.mix.reduce(0, +))
        let kinds: [OperationKind] = [.read, .load, .write, .remove, .clear]
        var kind = OperationKind.read
        for (candidate, weight) in zip(kinds, behaviour.mix) {
            kind = candidate
            if choice < weight { break }
            choice -= weight
        }
        let key = UInt32(random.next(below: keys))
        let givesUp = kind == .load && happens(behaviour.cancellationShare)
        callers[number].record = OperationRecord(
            kind, key: key, outcome: .done, call: now, answer: 0, mayGiveUp: givesUp)
        callers[number].state = .called
    }

    private mutating func step(_ number: Int) {
        switch callers[number].state {
        case .idle: break
        case .called: takeEffect(number)
        case .returning: giveBack(number)
        case .waiting(let load):
            if callers[number].record.mayGiveUp, happens(0.5) { leave(number, load) }
        }
    }

    private mutating func giveBack(_ number: Int) {
        callers[number].record.answer = now
        callers[number].records.append(callers[number].record)
        callers[number].state = .idle
    }

    private mutating func finish(_ number: Int, _ outcome: Outcome, _ version: UInt64 = 0) {
        callers[number].record.outcome = outcome
        callers[number].record.version = version
        callers[number].state = .returning
    }

    private mutating func takeEffect(_ number: Int) {
        let record = callers[number].record
        switch record.kind {
        case .read, .load, .burst: lookUp(number, record)
        case .write:
            writes += 1
            if happens(behaviour.unknownWriteShare) {
                if happens(0.7) { lateWrites.append((record.key, writes)) }
                finish(number, .cancelled, writes)
            } else {
                change(record.key, writes)
                finish(number, .done, writes)
            }
        case .remove:
            if fails(.lostRemoval), held[record.key] != nil {
                faultCount += 1
                invalidate(record.key)
            } else {
                change(record.key, nil)
            }
            finish(number, .done)
        case .clear:
            for key in Set(held.keys).union(active.map { loads[$0].key }) { change(key, nil) }
            finish(number, .done)
        case .prefetch: finish(number, .done)
        }
    }

    private mutating func lookUp(_ number: Int, _ record: OperationRecord) {
        if let version = found(number, record.key) { return finish(number, .hit, version) }
        guard record.kind == .load else { return finish(number, .miss) }
        if fails(.keptError) {
            faultCount += 1
            return finish(number, .failed)
        }
        if let load = joinable[record.key], behaviour.coalesces {
            let isMissed = fails(.secondLoad)
            faultCount += isMissed ? 1 : 0
            if isMissed { return start(number, record.key) }
            loads[load].waiters.append(number)
            callers[number].state = .waiting(load)
            return
        }
        start(number, record.key)
    }

    private mutating func start(_ number: Int, _ key: UInt32) {
        loads.append(Load(key: key, owner: number, waiters: [number]))
        active.append(loads.count - 1)
        joinable[key] = loads.count - 1
        callers[number].state = .waiting(loads.count - 1)
    }

    private mutating func found(_ number: Int, _ key: UInt32) -> UInt64? {
        if held[key] == nil, past[key] != nil, fails(.comesBack) {
            faultCount += 1
            return past[key]
        }
        guard let version = held[key] else { return nil }
        if let expiry = expiries[key], now >= expiry {
            guard fails(.outlives) else {
                held[key] = nil
                return nil
            }
            faultCount += 1
        } else if behaviour.isSliding {
            prolong(key)
        }
        if fails(.staleHit), let old = past[key] {
            faultCount += 1
            return old
        }
        if fails(.otherKey) {
            faultCount += 1
            callers[number].record.valueKey = key + 1
        }
        return version
    }

    private mutating func change(_ key: UInt32, _ version: UInt64?) {
        invalidate(key)
        hold(key, version)
    }

    private mutating func hold(_ key: UInt32, _ version: UInt64?) {
        if let old = held[key] { past[key] = old }
        held[key] = version
        guard version != nil else { return }
        prolong(key)
        makeRoom(beside: key)
    }

    private mutating func prolong(_ key: UInt32) {
        expiries[key] = behaviour.lifetime.map { now + $0 }
    }

    /// Evicts other entries until all fit, and the new entry itself where it alone is too large.
    private mutating func makeRoom(beside key: UInt32) {
        guard let limit = behaviour.limit else { return }
        while held.reduce(0, { $0 + behaviour.cost($1.key, $1.value) }) > limit {
            if fails(.overfull) {
                faultCount += 1
                return
            }
            held[held.keys.sorted().first { $0 != key } ?? key] = nil
        }
    }

    private mutating func invalidate(_ key: UInt32) {
        for number in active where loads[number].key == key { loads[number].isOvertaken = true }
        if joinable[key] != nil, fails(.joinsOlder) {
            faultCount += 1
        } else {
            joinable[key] = nil
        }
    }
}

extension SimulatedCache {
    /// A load without waiting callers continues, but no caller joins it.
    private mutating func leave(_ number: Int, _ load: Int) {
        loads[load].waiters.removeAll { $0 == number }
        if loads[load].owner == number { loads[load].owner = nil }
        finish(number, .cancelled)
        if fails(.sharedCancellation), let other = loads[load].waiters.first(where: { !callers[$0].record.mayGiveUp }) {
            faultCount += 1
            loads[load].waiters.removeAll { $0 == other }
            finish(other, .cancelled)
        }
        if loads[load].waiters.isEmpty {
            loads[load].isOvertaken = true
            if joinable[loads[load].key] == load { joinable[loads[load].key] = nil }
        }
    }

    /// The next step of a load: its request arrives, is answered, and its value is inserted.
    private mutating func advance(_ number: Int) {
        let key = loads[number].key
        switch loads[number].state {
        case .begun:
            versions[key, default: 0] += 1
            loads[number].version = versions[key] ?? 0
            loads[number].start = now
            loads[number].state = .requested
        case .requested:
            let isAnswered = !happens(behaviour.failureShare)
            requests.append(
                RequestRecord(
                    key: key, version: loads[number].version, start: loads[number].start, end: now,
                    isAnswered: isAnswered))
            loads[number].state = isAnswered ? .answered : .failed
        case .answered, .failed:
            end(number)
        case .ended:
            break
        }
    }

    private mutating func end(_ number: Int) {
        let load = loads[number]
        loads[number].state = .ended
        active.removeAll { $0 == number }
        if joinable[load.key] == number { joinable[load.key] = nil }
        if load.state == .answered {
            if load.isOvertaken, behaviour.keepsNewerWrites {
                if fails(.overwritesNewer) {
                    faultCount += 1
                    hold(load.key, load.version)
                }
            } else {
                hold(load.key, load.version)
            }
        }
        for waiter in load.waiters {
            if load.state == .failed {
                finish(waiter, .failed)
            } else {
                finish(waiter, load.owner == waiter ? .miss : .joined, load.version)
            }
        }
    }
}
