import CacheStrategies
import Foundation
import Origins
import TimedStrategies
import TrialModel

// What survives must be found by another process: its hash seed differs, so that nothing stored may depend on it.

extension PromiseProbe {
    /// The number of entries that are written.
    private static var written: Int { 50 }

    private static var fact: String { "a cache that is reopened in another process holds its earlier entries" }

    /// Writes in one process and reads in another.
    func reopened(_ program: ChildProgram, folder: String) async throws -> Report {
        var report = Report()
        for reopening in Reopening.allCases {
            var probe = self
            probe.reopening = reopening
            let (ending, seen) = try await probe.ask(program, folder: folder)
            report.add(seen.report)
            guard ending.isClean else {
                report.unasked.append("\(Self.fact): \(ending.clause)")
                break
            }
        }
        return report
    }

    /// One of the two processes.
    func reopened<Cache: CacheStrategy>(
        _ strategy: Strategy, _ type: Cache.Type, _ reopening: Reopening, _ onStep: @escaping @Sendable (Step) -> Void
    ) async throws -> Report where Cache.Key: TrialKey, Cache.Value == Payload {
        onStep(.check(Self.fact))
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("reopened", isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let configuration = StrategyConfiguration(entryLimit: 1_000, costLimit: 1 << 24, directory: folder)
        let cache = try Cache(configuration: strategy.prepared(configuration, forKeysOf: Cache.Key.self))
        var report = Report()
        switch reopening {
        case .write:
            for number in 0..<Self.written {
                let value = PayloadKit.payload(number, byteCount: 128)
                await cache.insert(value, forKey: Cache.Key(trialKeyNumber: number), cost: value.cost)
            }
        case .read:
            report.checked = 1
            var missing = try await Self.missing(in: cache)
            // Such a cache may read its folder beside its callers.
            for _ in 0..<100 where missing > 0 && strategy.declaration.promises.consistency == .eventual {
                try await Task.sleep(for: .milliseconds(50))
                missing = try await Self.missing(in: cache)
            }
            if missing > 0 {
                report.violations = 1
                report.failures = [
                    "\(Self.fact): \(missing) of \(Self.written) are not found; the processes differ in their hash seed"
                ]
            }
        }
        await cache.close()
        onStep(.found(report))
        return report
    }

    /// How many of the written values a cache does not find.
    private static func missing<Cache: CacheStrategy>(in cache: Cache) async throws -> Int
    where Cache.Key: TrialKey, Cache.Value == Payload {
        var missing = 0
        for number in 0..<written {
            let found = await cache.value(forKey: Cache.Key(trialKeyNumber: number))
            let expected = try PayloadKit.payload(number, byteCount: 128).encoded()
            if try found?.encoded() != expected { missing += 1 }
        }
        return missing
    }
}
