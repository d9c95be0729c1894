import CacheStrategies
import Foundation
import TrialModel

extension ConformanceProbe {
    /// Callers change in place what they inserted, found and loaded; later lookups must not see the change.
    func checkValuesAreIsolated() async throws {
        guard let scribble = kit.scribble, !neverCaches else { return }
        let cache = try open()
        var inserted = value(1)
        await insert(inserted, at: 1, into: cache)
        scribble(&inserted)
        await expectFound(1, at: 1, in: cache, "after its caller changed what it had inserted")
        if var found = await lookUp(1, in: cache) { scribble(&found) }
        await expectFound(1, at: 1, in: cache, "after a caller changed what it had found")
        var loaded = try await load(2, from: makeOrigin(), in: cache).value
        scribble(&loaded)
        await expectFound(2, at: 2, in: cache, "after a caller changed what it had loaded")
        await close(cache)
    }

    /// Values are numbered 1000 × key + version, so that every value identifies the key that it was written for.
    func checkKeysKeepTheirOwnValues() async throws {
        let cache = try open(
            entryLimit: 10, costLimit: max(10 * Self.usualByteCount, costLimit(holding: Self.usualByteCount)))
        let seed: UInt64 = 20
        let written = try (0..<16).map { key in
            try Set((0..<100).map { try value(1000 * key + $0).encoded() })
        }
        let answers = try await withThrowingTaskGroup(of: Int.self) { group in
            for caller in 0..<4 {
                group.addTask { try await self.callAtRandom(cache, written, seed: seed, caller: caller) }
            }
            return try await group.reduce(0, +)
        }
        _ = premise(answers > 0, "no lookup gave a value")
        await close(cache)
    }

    /// - Returns: the number of answers that had a value.
    private func callAtRandom(
        _ cache: Strategy, _ written: [Set<Data>], seed: UInt64, caller: Int
    ) async throws -> Int {
        var answers = 0
        var random = RandomSource(seed: seed, stream: UInt64(caller))
        for version in 0..<250 {
            let keyNumber = Int(random.next(below: 16))
            let number = 1000 * keyNumber + version % 100
            var answer: Value?
            switch random.next(below: 20) {
            case 0: await remove(keyNumber, from: cache)
            case 1..<6: await insert(number, at: keyNumber, into: cache)
            case 6..<12:
                let bytes = try value(number).encoded()
                answer = try await cache.load(key(keyNumber)) { bytes }.value
            default: answer = await lookUp(keyNumber, in: cache)
            }
            guard let answer else { continue }
            answers += 1
            let bytes = try? answer.encoded()
            if bytes.map(written[keyNumber].contains) != true {
                let bytes = bytes.map { String(decoding: $0.prefix(60), as: UTF8.self) } ?? "?"
                fail("key \(keyNumber) gave a value that was never written for it: \(bytes); seed \(seed)")
                return answers
            }
        }
        return answers
    }
}
