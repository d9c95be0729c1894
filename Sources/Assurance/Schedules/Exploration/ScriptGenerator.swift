import TrialModel

/// Makes small random scripts with a few callers and one or two keys. Errors of a cache show in few operations; with
/// two to six for each caller they show in a third of the orders that scripts of one to three need, each of which takes
/// a quarter less time.
///
/// Some scripts have a cache with room for one entry, and a last caller that only looks: whatever the others are in the
/// middle of, it must not see two.
struct ScriptGenerator {
    /// One script in so many is about limits, if any is.
    private static let scriptsPerLimited: UInt64 = 8

    private let keyCountMax: UInt64
    private let triesLimits: Bool

    /// - Parameters:
    ///   - keyCountMax: the most keys of a script.
    ///   - triesLimits: whether the cache promises a limit that no moment may exceed.
    init(keyCountMax: Int, triesLimits: Bool) {
        self.keyCountMax = UInt64(min(max(keyCountMax, 1), 2))
        self.triesLimits = triesLimits && keyCountMax > 1
    }

    /// The script of a seed, always the same. O(operations).
    func script(seed: UInt64) -> ScheduleScript {
        var random = RandomSource(seed: seed, stream: Self.stream)
        if triesLimits {
            var limits = RandomSource(seed: seed, stream: Self.limits)
            if limits.next(below: Self.scriptsPerLimited) == 0 { return limited(&random) }
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
}
