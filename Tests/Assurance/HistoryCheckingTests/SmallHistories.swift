import TrialModel

@testable import HistoryChecking

/// Random histories of at most eight operations on one key.
enum SmallHistories {
    /// One of three kinds in turn: a history that a cache could produce, the same with a few changes, and random
    /// answers.
    static func history(seed: UInt64, number: UInt64) -> History {
        var random = RandomSource(seed: seed, stream: number)
        guard number % 3 > 0 else { return atRandom(&random) }
        var behaviour = SimulatedCache.Behaviour(
            coalesces: random.next(below: 2) == 0, keepsNewerWrites: random.next(below: 3) == 0)
        behaviour.failureShare = random.next(below: 4) == 0 ? 0.2 : 0
        behaviour.cancellationShare = random.next(below: 4) == 0 ? 0.4 : 0
        behaviour.unknownWriteShare = random.next(below: 4) == 0 ? 0.3 : 0
        behaviour.evictionShare = 0.04
        behaviour.mix = [
            5, random.next(below: 4), 1 + random.next(below: 3), random.next(below: 3), random.next(below: 2),
        ]
        let callers = 1 + Int(random.next(below: 4))
        var cache = SimulatedCache(seed: seed ^ (number &* 0x9E37), callers: callers, behaviour)
        var history = cache.run(operations: 2 + Int(random.next(below: 7)), keys: 1)
        guard number % 3 > 1 else { return history }
        for _ in 0..<1 + random.next(below: 3) { change(&history, &random) }
        return history
    }

    /// Changes one thing so that the log stays possible: a version, an outcome, or a time within the limits of its
    /// caller.
    private static func change(_ history: inout History, _ random: inout RandomSource) {
        let caller = Int(random.next(below: UInt64(history.callers.count)))
        guard !history.callers[caller].isEmpty else { return }
        let place = Int(random.next(below: UInt64(history.callers[caller].count)))
        var record = history.callers[caller][place]
        let versions =
            history.callers.joined().filter { $0.kind == .write }.map(\.version) + history.requests.map(\.version)
        let isLookup = record.kind == .read || (record.kind == .load && record.outcome == .hit)
        switch random.next(below: 3) {
        case 0 where isLookup && !versions.isEmpty:
            record.outcome = .hit
            record.version = versions[Int(random.next(below: UInt64(versions.count)))]
        case 1 where record.kind == .read:
            record.outcome = .miss
            record.version = 0
        case 2:
            let earliest = place > 0 ? history.callers[caller][place - 1].answer : 0
            let isLast = place + 1 == history.callers[caller].count
            let latest = isLast ? record.answer + 5 : history.callers[caller][place + 1].call
            let moments = [0, 1].map { _ in earliest + random.next(below: latest - earliest + 1) }.sorted()
            record.call = moments[0]
            record.answer = moments[1]
        default: break
        }
        history.callers[caller][place] = record
    }

    /// Random spans and kinds, then hits of versions that may already be present.
    private static func atRandom(_ random: inout RandomSource) -> History {
        var history = History(callers: Array(repeating: [], count: 1 + Int(random.next(below: 4))))
        var times = history.callers.map { _ in random.next(below: 4) }
        var versions: [(version: UInt64, start: UInt64)] = []
        for number in 1...(3 + random.next(below: 6)) {
            let caller = Int(random.next(below: UInt64(history.callers.count)))
            let call = times[caller] + random.next(below: 4)
            let answer = call + random.next(below: 6)
            times[caller] = answer
            var record = OperationRecord(.read, key: 0, outcome: .hit, call: call, answer: answer)
            switch random.next(below: 10) {
            case 0, 1, 2:
                let isSure = random.next(below: 6) > 0
                (record.kind, record.outcome, record.version) = (.write, isSure ? .done : .cancelled, number)
                versions.append((number, call))
            case 3:
                (record.kind, record.outcome, record.version) = (.load, .miss, number)
                let moments = [0, 1].map { _ in call + random.next(below: answer - call + 1) }.sorted()
                history.requests.append(RequestRecord(key: 0, version: number, start: moments[0], end: moments[1]))
                versions.append((number, moments[1]))
            case 4: (record.kind, record.outcome) = (random.next(below: 2) == 0 ? .remove : .clear, .done)
            case 5: record.outcome = .miss
            default: break
            }
            history.callers[caller].append(record)
        }
        for caller in history.callers.indices {
            for place in history.callers[caller].indices where history.callers[caller][place].outcome == .hit {
                let answer = history.callers[caller][place].answer
                let possible = versions.filter { $0.start <= answer }
                if possible.isEmpty {
                    history.callers[caller][place].outcome = .miss
                } else {
                    history.callers[caller][place].version =
                        possible[Int(random.next(below: UInt64(possible.count)))].version
                }
            }
        }
        return history
    }
}
