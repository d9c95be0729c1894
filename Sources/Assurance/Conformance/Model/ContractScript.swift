import CacheStrategies
import HistoryChecking
import TrialModel

/// What an insert puts into the cache.
enum ContractCost: Hashable, Sendable {
    /// A value of this size, in the checks' unit, at its own cost.
    case size(Int)
    /// A value of the usual size at another cost, in bytes.
    case declared(Int)
    /// A value of the usual size whose own lifetime is this share of the configured one.
    case lifetime(Double)
}

/// How the origin answers the fetch of a load.
enum ContractAnswer: Hashable, Sendable, CaseIterable {
    case value, mortal, refused, undecodable

    /// The share of the configured lifetime that a mortal value lives.
    static var mortalShare: Double { 0.25 }

    var isValue: Bool { self == .value || self == .mortal }
}

/// One operation of the caller, or something that happens to the cache between two operations.
enum ContractStep: Hashable, Sendable {
    case insert(Int, ContractCost)
    case remove(Int)
    case removeAll
    case lookUp(Int)
    case load(Int, ContractAnswer, onThread: Bool)
    case statistics
    /// Looks every key up, and compares what is found with the limits and the statistics.
    case survey
    /// The clock moves on by a share of the lifetime.
    case advance(Double)
    /// The clock moves to the end of a key's lifetime, or to just before it.
    case advanceToEnd(Int, isOver: Bool)
    /// The lifetime of errors passes, or half of it.
    case outliveErrors(isOver: Bool)
    /// The machine's date is set, in seconds from the clock's.
    case setDate(Int)
    case reopen
}

extension ContractAnswer {
    /// The answer in words, after the load.
    fileprivate var suffix: String {
        switch self {
        case .value: ""
        case .mortal: ", a value for \(Self.mortalShare) of the lifetime"
        case .refused: ", whose fetch fails"
        case .undecodable: ", whose bytes don't decode"
        }
    }
}

extension ContractStep: CustomStringConvertible {
    var description: String {
        switch self {
        case .insert(let key, .size(let units)): "insert key \(key), a value of size \(units)"
        case .insert(let key, .declared(let cost)): "insert key \(key) at a cost of \(cost)"
        case .insert(let key, .lifetime(let share)): "insert key \(key) for \(share) of the lifetime"
        case .remove(let key): "remove key \(key)"
        case .removeAll: "remove all keys"
        case .lookUp(let key): "look up key \(key)"
        case .load(let key, let answer, let onThread):
            "load key \(key)\(onThread ? " on a thread" : "")"
                + answer.suffix
        case .statistics: "ask for statistics"
        case .survey: "look up all keys"
        case .advance(let share): "let \(share) of the lifetime pass"
        case .advanceToEnd(let key, let isOver):
            "let the time pass to \(isOver ? "" : "just before ")the end of key \(key)"
        case .outliveErrors(let isOver): "let \(isOver ? "the" : "half the") lifetime of errors pass"
        case .setDate(let seconds): "set the machine's date \(seconds) s ahead"
        case .reopen: "close the cache and open it again"
        }
    }
}

/// The limits and the lifetime with which a script's cache opens.
struct ContractSetup: Hashable, Sendable {
    var entryLimit: Int?
    /// In bytes.
    var costLimit: Int?
    var hasLifetime = false
    /// The keys of the script: from 0 to below it.
    var keyCount = 6
}

/// What one caller does with one cache, in order.
struct ContractScript: Hashable, Sendable {
    var setup: ContractSetup
    var steps: [ContractStep]

    /// The scripts with some steps fewer, the shortest ones first.
    var shorter: [ContractScript] {
        var scripts: [ContractScript] = []
        var length = steps.count / 2
        while length > 0 {
            for start in stride(from: 0, to: steps.count, by: length) {
                var script = self
                script.steps.removeSubrange(start..<min(start + length, steps.count))
                if !script.steps.isEmpty { scripts.append(script) }
            }
            length /= 2
        }
        return scripts
    }
}

/// Which scripts show the fact of a check, and what in them counts as showing it.
struct ContractProfile: Sendable {
    /// The kinds of steps, to be weighted.
    enum Kind: Hashable, Sendable, CaseIterable {
        case insert, insertFresh, remove, removeAll, lookUp, load, loadFresh, mortalLoad, failingLoad, undecodableLoad
        case statistics, survey, advance, advanceToEnd, outliveErrors, setDate, reopen
    }

    /// The rules whose violation is a failure of the check; each must be put to the test.
    var rules: Set<ContractRule>
    var setups: [ContractSetup]
    /// The number of steps of a script.
    var steps = 40
    /// How often each kind of step comes, relative to the others.
    var weights: [Kind: UInt64]
    var costs: [ContractCost] = [.size(20)]
    /// Whether loads are made on tasks and on threads, on one of them, or only on threads.
    var threads: [Bool] = [false]
    /// Steps before all others.
    var prefix: [ContractStep] = []
    /// Whether all keys are looked up after every step.
    var surveysAlways = false
    /// Whether a script looks keys up at all.
    var looksUp = true

    /// The profile with scripts of only such calls.
    func limited(to calls: CacheCalls) -> ContractProfile {
        var limited = self
        func leaveOut(_ call: CacheCalls, _ kinds: Kind...) {
            if !calls.contains(call) { for kind in kinds { limited.weights[kind] = nil } }
        }
        leaveOut(.lookUp, .lookUp, .survey)
        leaveOut(.insert, .insert, .insertFresh)
        leaveOut(.remove, .remove)
        leaveOut(.removeAll, .removeAll)
        leaveOut(.close, .reopen)
        guard !calls.contains(.lookUp) else { return limited }
        // A load shows what is held: it doesn't fetch.
        limited.looksUp = false
        limited.rules.subtract([.held, .gone, .limits, .counts])
        return limited
    }

    /// A script of the profile: a pure function of the seed. O(steps).
    func script(_ setup: ContractSetup, seed: UInt64) -> ContractScript {
        var random = RandomSource(seed: seed, stream: 43)
        let kinds = Kind.allCases.filter { weights[$0, default: 0] > 0 }
        let total = kinds.reduce(0) { $0 + weights[$1, default: 0] }
        var steps = prefix
        var freshKey = 0
        while steps.count < self.steps {
            var dice = random.next(below: max(total, 1))
            guard
                let kind = kinds.first(where: { kind in
                    let weight = weights[kind, default: 0]
                    if dice < weight { return true }
                    dice -= weight
                    return false
                })
            else { break }
            var key = Int(random.next(below: UInt64(setup.keyCount)))
            if kind == .insertFresh || kind == .loadFresh {
                key = freshKey % setup.keyCount
                freshKey += 1
            }
            let step = step(kind, key, &random)
            steps.append(step)
            if step.brings, looksUp, surveysAlways || random.next(below: 8) < 5 { steps.append(.lookUp(key)) }
            if surveysAlways, looksUp { steps.append(.survey) }
        }
        return ContractScript(setup: setup, steps: steps + (looksUp ? [.survey] : []))
    }

    private func step(_ kind: Kind, _ key: Int, _ random: inout RandomSource) -> ContractStep {
        func pick<Choice>(_ choices: [Choice]) -> Choice { choices[Int(random.next(below: UInt64(choices.count)))] }
        return switch kind {
        case .insert, .insertFresh: .insert(key, pick(costs))
        case .remove: .remove(key)
        case .removeAll: .removeAll
        case .lookUp: .lookUp(key)
        case .load, .loadFresh: .load(key, .value, onThread: pick(threads))
        case .mortalLoad: .load(key, .mortal, onThread: pick(threads))
        case .failingLoad: .load(key, .refused, onThread: pick(threads))
        case .undecodableLoad: .load(key, .undecodable, onThread: pick(threads))
        case .statistics: .statistics
        case .survey: .survey
        case .advance: .advance(pick([0.25, 0.5, 0.99]))
        case .advanceToEnd: .advanceToEnd(key, isOver: pick([false, true, true]))
        case .outliveErrors: .outliveErrors(isOver: pick([false, true]))
        case .setDate: .setDate(pick([3_600, -3_600]))
        case .reopen: .reopen
        }
    }
}

extension ContractStep {
    /// Whether the step brings a value into the cache.
    fileprivate var brings: Bool {
        switch self {
        case .insert, .load: true
        default: false
        }
    }
}
