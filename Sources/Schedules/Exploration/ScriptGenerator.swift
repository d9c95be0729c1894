import TrialModel

/// Makes small random scripts with a few callers and one or two keys. Errors of a cache show in few operations; with
/// two to six for each caller they show in a third of the orders that scripts of one to three need, each of which takes
/// a quarter less time.
struct ScriptGenerator {
    private let keyCountMax: UInt64

    /// - Parameter keyCountMax: the most keys of a script.
    init(keyCountMax: Int) {
        self.keyCountMax = UInt64(min(max(keyCountMax, 1), 2))
    }

    /// The script of a seed, always the same. O(operations).
    func script(seed: UInt64) -> ScheduleScript {
        var random = RandomSource(seed: seed, stream: Self.stream)
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

    /// Most operations are loads, because loads suspend.
    private static let kinds: [ScriptedOperation.Kind] = [
        .load, .load, .load, .load, .load, .load, .failingLoad, .failingLoad, .cancelledLoad, .cancelledLoad, .read,
        .read,
        .write, .write, .remove, .remove, .clear,
    ]

    /// Separates the random numbers of scripts from those of orders.
    private static let stream: UInt64 = 0x5C71
}
