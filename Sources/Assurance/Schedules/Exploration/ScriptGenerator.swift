import TrialModel

/// Makes small random scripts with a few callers, most with one or two keys. Errors of a cache show in few operations; with
/// two to six for each caller they show in a third of the orders that scripts of one to three need, each of which takes
/// a quarter less time.
///
/// Some scripts have a cache with room for one entry, and a last caller that only looks: whatever the others are in the
/// middle of, it must not see two. One in four has three to five keys and room for fewer: entries are evicted and
/// removed between others.
struct ScriptGenerator {
    /// One script in so many is about limits, if any is.
    private static let scriptsPerLimited: UInt64 = 8

    /// One script in so many moves the clock, if any does.
    private static let scriptsPerExpiring: UInt64 = 4

    /// One script of the others in so many has more keys than its cache has room for.
    private static let scriptsPerCrowded: UInt64 = 4

    private let keyCountMax: UInt64
    private let triesLimits: Bool
    private let triesExpiry: Bool
    /// The most keys of a script with evictions, and the entries for which its cache has room; `nil` for none.
    private let crowdMax: UInt64
    private let rooms: ClosedRange<UInt64>?

    /// - Parameters:
    ///   - keyCountMax: the most keys of a script.
    ///   - triesLimits: whether the cache promises a limit that no moment may exceed.
    ///   - roomMin: the fewest entries for which a cache can have room.
    ///   - triesExpiry: whether the cache has lifetimes by the configured clock.
    init(keyCountMax: Int, triesLimits: Bool, roomMin: Int = 1, triesExpiry: Bool = false) {
        self.triesExpiry = triesExpiry
        self.keyCountMax = UInt64(min(max(keyCountMax, 1), 2))
        self.triesLimits = triesLimits && keyCountMax > 1
        crowdMax = UInt64(min(max(keyCountMax, 1), ScheduleScript.keysMax))
        let least = UInt64(max(roomMin, 2))
        rooms = least < crowdMax ? least...max(least, min(3, crowdMax - 1)) : nil
    }

    /// The script of a seed, always the same. O(operations).
    func script(seed: UInt64) -> ScheduleScript {
        var random = RandomSource(seed: seed, stream: Self.stream)
        if triesLimits {
            var limits = RandomSource(seed: seed, stream: Self.limits)
            if limits.next(below: Self.scriptsPerLimited) == 0 { return limited(&random) }
        }
        if triesExpiry {
            var expiries = RandomSource(seed: seed, stream: Self.expiries)
            if expiries.next(below: Self.scriptsPerExpiring) == 0 { return expiring(&random) }
        }
        if let rooms {
            var crowds = RandomSource(seed: seed, stream: Self.crowds)
            if crowds.next(below: Self.scriptsPerCrowded) == 0 { return crowded(rooms, &random) }
        }
        let keyCount = 1 + random.next(below: keyCountMax)
        let callers = 2 + random.next(below: 3)
        return ScheduleScript(
            callers: (0..<callers).map { _ in
                (0..<2 + random.next(below: 5)).map { _ in
                    let kind = Self.kinds[Int(random.next(below: UInt64(Self.kinds.count)))]
                    return ScriptedOperation(kind, key: UInt32(random.next(below: keyCount)))
                }
            })
    }

    /// A script for a cache with room for one entry.
    private func limited(_ random: inout RandomSource) -> ScheduleScript {
        let key = UInt32(random.next(below: 2))
        let other = 1 - key
        var callers = [[ScriptedOperation(.write, key: key), ScriptedOperation(.write, key: other)]]
        callers += (0..<random.next(below: 3)).map { _ in
            (0..<1 + random.next(below: 2)).map { _ in
                let kind = Self.limitedKinds[Int(random.next(below: UInt64(Self.limitedKinds.count)))]
                return ScriptedOperation(kind, key: UInt32(random.next(below: 2)))
            }
        }
        // Statistics may hide what lookups show: hits on the new key, the old one, and the new one again.
        callers.append(
            random.next(below: 3) == 0
                ? Array(repeating: ScriptedOperation(.statistics), count: 3)
                : [other, key, other].map { ScriptedOperation(.read, key: $0) })
        return ScheduleScript(callers: callers, entryLimit: 1)
    }

    /// A script in which an entry expires, is looked up and is replaced.
    private func expiring(_ random: inout RandomSource) -> ScheduleScript {
        func one(of kinds: ScriptedOperation.Kind...) -> ScriptedOperation {
            ScriptedOperation(kinds[Int(random.next(below: UInt64(kinds.count)))])
        }
        var callers = [
            [one(of: .write, .load), ScriptedOperation(.expire), one(of: .read, .load)],
            [ScriptedOperation(.write), ScriptedOperation(.read)],
        ]
        for _ in 0..<random.next(below: 3) {
            let caller = Int(random.next(below: 3))
            let operation = one(of: .read, .load, .write)
            if caller < callers.count { callers[caller].append(operation) } else { callers.append([operation]) }
        }
        return ScheduleScript(callers: callers)
    }

    /// A script for a cache with room for fewer entries than there are keys.
    private func crowded(_ rooms: ClosedRange<UInt64>, _ random: inout RandomSource) -> ScheduleScript {
        let room = rooms.lowerBound + random.next(below: UInt64(rooms.count))
        let keyCount = room + 1 + random.next(below: min(2, crowdMax - room))
        var callers = (0..<2 + random.next(below: 2)).map { _ in
            (0..<3 + random.next(below: 4)).map { _ in
                let kind = Self.crowdedKinds[Int(random.next(below: UInt64(Self.crowdedKinds.count)))]
                return ScriptedOperation(kind, key: UInt32(random.next(below: keyCount)))
            }
        }
        // One caller fills the cache with every key, so that something is evicted in each order.
        let first = random.next(below: keyCount)
        callers[0] =
            (0..<keyCount).map {
                ScriptedOperation(
                    random.next(below: 2) == 0 ? .write : .load, key: UInt32((first + $0) % keyCount))
            } + callers[0].prefix(2)
        return ScheduleScript(callers: callers, entryLimit: Int(room))
    }

    private static let crowdedKinds: [ScriptedOperation.Kind] = [
        .load, .load, .load, .load, .write, .write, .write, .read, .read, .read, .remove, .remove, .clear,
        .failingLoad, .cancelledLoad,
    ]

    private static let limitedKinds: [ScriptedOperation.Kind] = [
        .load, .load, .write, .write, .read, .remove, .clear,
    ]

    /// Most operations are loads, because loads suspend.
    private static let kinds: [ScriptedOperation.Kind] = [
        .load, .load, .load, .load, .load, .load, .failingLoad, .failingLoad, .cancelledLoad, .cancelledLoad, .read,
        .read,
        .write, .write, .remove, .remove, .clear,
    ]

    /// Separates the random numbers of scripts from those of orders.
    private static let stream: UInt64 = 0x5C71
    /// Separates the choice of scripts about limits from the others.
    private static let limits: UInt64 = 0x5C72
    /// Separates the choice of scripts that move the clock from the others.
    private static let expiries: UInt64 = 0x5C74
    /// Separates the choice of scripts with evictions from the others.
    private static let crowds: UInt64 = 0x5C73
}
