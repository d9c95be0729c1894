import ArgumentParser
import Foundation
import Traces

/// What some options refuse, before anything is written.
extension ReplayCommand {
    /// Refuses what needs standard input twice.
    func checkStandardInput() throws {
        guard try files.hasStandardInput() else { return }
        let reason = "and standard input can be read once; save it in a file, or"
        if try chosenCapacities().contains(where: \.needsWholeTrace) {
            throw ValidationError(
                "'-': a size that is a share of the keys (5%), as sizes are by default, needs a trace twice, \(reason) name --capacities in entries (1000) or bytes (64MiB)."
            )
        }
        if try chosenWarmUp()?.needsWholeTrace ?? false {
            throw ValidationError(
                "'-': a warm-up of a share of the requests needs a trace twice, \(reason) name a number of requests (100000) or a time (1h)."
            )
        }
        if resume || shard.shard != nil {
            throw ValidationError(
                "'-': --resume and --shard compare traces by their content, \(reason) leave them out.")
        }
    }

    /// Refuses misses that are not those of one cache.
    func checkMisses() throws {
        guard let misses else { return }
        func refuse(_ reason: String) -> ValidationError { ValidationError("'--misses \(misses)': \(reason).") }
        let policies = try chosenPolicies()
        let count = (policies.count, try chosenCapacities().count, files.traces.count)
        guard count == (1, 1, 1) else {
            throw refuse(
                "misses are those of one cache; name one trace, one of --policies and one of --capacities; there are \(count.2), \(count.0) and \(count.1)"
            )
        }
        guard !policies[0].knowsFuture else {
            throw refuse("\(policies[0].name) decides only when the whole trace was read; name another policy")
        }
        guard sample == 1 else { throw refuse("a sample has the misses of some keys only; leave out --sample") }
        guard !resume, shard.shard == nil else { throw refuse("leave out --resume and --shard: there is one replay") }
        guard misses != TraceWriter.standardOutput else { return }
        guard misses.hasSuffix(".csv") || misses.hasSuffix(".csv.zst") else {
            throw refuse("name a file that ends with .csv or .csv.zst, or '-' for standard output")
        }
        guard !FileManager.default.fileExists(atPath: misses) else { throw refuse("the file exists; name a new file") }
        let folder = URL(fileURLWithPath: misses).deletingLastPathComponent().path
        guard access(folder, W_OK) == 0 else {
            throw refuse("no file can be written in \(folder): \(String(cString: strerror(errno)))")
        }
    }

    /// Refuses intervals of what has none, or which other machines or runs would have to continue.
    func checkOverTime() throws {
        guard overTime != nil else { return }
        func refuse(_ reason: String) -> ValidationError { ValidationError("'--over-time': \(reason).") }
        guard sample == 1 else { throw refuse("a sample is too small for intervals; leave out --sample") }
        guard misses == nil else { throw refuse("leave out --misses, or replay twice") }
        guard !resume, shard.shard == nil else { throw refuse("leave out --resume and --shard") }
        guard try chosenPolicies().contains(where: { !$0.knowsFuture }) else {
            throw refuse("bounds decide only when the whole trace was read; name another policy")
        }
    }
}
