import TrialModel

/// Makes small random scripts with a few callers and one or two keys. Errors of a cache show in the smallest scripts,
/// and a script with fewer possible orders has more of them tried.
struct ScriptGenerator {
    /// How many consecutive seeds share a script, so that it runs in several orders.
    static let seedsPerScript: UInt64 = 4

    private let keyCountMax: UInt64

    /// - Parameter keyCountMax: the most keys of a script.
    init(keyCountMax: Int) {
        self.keyCountMax = UInt64(min(max(keyCountMax, 1), 2))
    }

    /// The script of a seed, always the same. O(operations).
    func script(seed: UInt64) -> ScheduleScript {
        var random = RandomSource(seed: seed / Self.seedsPerScript, stream: Self.stream)
        let keyCount = 1 + random.next(below: keyCountMax)
        let callers = 2 + random.next(below: 3)
        return ScheduleScript(
            callers: (0..<callers).map { _ in
                (0..<1 + random.next(below: 3)).map { _ in
                    let kind = Self.kinds[Int(random.next(below: UInt64(Self.kinds.count)))]
                    return ScriptedOperation(kind, key: UInt32(random.next(below: keyCount)))
                }
            })
    }

    /// Most operations are loads, because loads suspend.
    private static let kinds: [ScriptedOperation.Kind] = [
        .load, .load, .load, .load, .load, .load, .failingLoad, .failingLoad, .cancelledLoad, .cancelledLoad, .read,
        .read,
        .write, .write, .remove, .remove, .clear,
    ]

    /// Separates the random numbers of scripts from those of orders.
    private static let stream: UInt64 = 0x5C71
}
