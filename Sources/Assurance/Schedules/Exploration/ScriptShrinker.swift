import HistoryChecking
package import TrialModel

/// Removes everything from a script that is not needed to break a promise, by a ``ShrinkSearch``. It tries several orders of each candidate, since a smaller script runs differently with the same seed.
package struct ScriptShrinker {
    /// Runs a script with a seed; returns the finding when it breaks the promise.
    let breaks: (ScheduleScript, UInt64) throws -> PromiseFinding?

    /// How many seeds are tried for each candidate.
    package static let seedsPerCandidate: UInt64 = 400

    /// The smallest script found that still breaks the promise. O(operations² × seeds) schedules at most.
    ///
    /// - Returns: `nil` when not even the first script breaks it again.
    func smallest(from script: ScheduleScript, seed: UInt64) throws -> SmallestScript? {
        guard let first = try breaks(script, seed) else { return nil }
        var best = SmallestScript(script: script, seed: seed, example: first.example)
        var search = ShrinkSearch(script, smaller: Self.candidates)
        while let candidate = search.next() {
            for offset in 0..<Self.seedsPerCandidate {
                let seed = best.seed &+ offset
                guard let finding = try breaks(candidate, seed) else { continue }
                best = SmallestScript(script: candidate, seed: seed, example: finding.example)
                search.accept(candidate)
                break
            }
        }
        return best
    }

    /// The scripts that are one step simpler: without a caller, without an operation, with a simpler operation, or with
    /// fewer keys.
    package static func candidates(_ script: ScheduleScript) -> [ScheduleScript] {
        var candidates: [ScheduleScript] = []
        for caller in script.callers.indices where script.callers.count > 1 {
            var smaller = script
            smaller.callers.remove(at: caller)
            candidates.append(smaller)
        }
        for caller in script.callers.indices {
            for index in script.callers[caller].indices where script.callers[caller].count > 1 {
                var smaller = script
                smaller.callers[caller].remove(at: index)
                candidates.append(smaller)
            }
        }
        for caller in script.callers.indices {
            for index in script.callers[caller].indices {
                for plainer in plainer(than: script.callers[caller][index]) {
                    var simpler = script
                    simpler.callers[caller][index] = plainer
                    candidates.append(simpler)
                }
            }
        }
        return candidates
    }

    private static func plainer(than operation: ScriptedOperation) -> [ScriptedOperation] {
        var plainer: [ScriptedOperation] = []
        switch operation.kind {
        case .failingLoad, .cancelledLoad: plainer.append(ScriptedOperation(.load, key: operation.key))
        case .clear: plainer.append(ScriptedOperation(.remove, key: 0))
        case .load, .read, .write, .remove, .statistics, .expire: break
        }
        if operation.kind.hasKey, operation.key > 0 { plainer.append(ScriptedOperation(operation.kind, key: 0)) }
        return plainer
    }
}
