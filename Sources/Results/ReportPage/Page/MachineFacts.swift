import Foundation
import Reports
import TrialModel

/// The content of `run.json`, as names and texts.
struct MachineFacts {
    let all: [(String, String)]

    init(_ run: RunDescription) {
        let host = run.host
        let commit = run.gitCommit.map { ", commit \($0)" } ?? ""
        let changes = run.gitDirty == true ? ", with changes" : ""
        var facts: [(String, String)] = [
            ("machine", host.name), ("processor", "\(host.cpu), \(host.cores) cores"),
            ("memory", host.memoryBytes.map(Quantity.bytes) ?? ""),
            ("system", "\(host.operatingSystem), \(host.kernel)"),
            ("Swift", "\(run.swiftVersion), \(run.buildConfiguration)"),
            ("cache-trials", "\(run.toolVersion)\(commit)\(changes)"),
            ("command", run.commandLine.joined(separator: " ")),
            ("began", run.start.formatted(.iso8601)), ("ended", run.end?.formatted(.iso8601) ?? "it did not"),
            ("seed", run.seed.map(String.init) ?? "that of each scenario"),
        ]
        if let clock = run.overhead.clockNanoseconds {
            facts.append(("cost of reading the clock", "\(Markup.number(clock)) ns, part of every time"))
        }
        if let record = run.overhead.recordNanoseconds {
            facts.append(("cost of recording a time", "\(Markup.number(record)) ns"))
        }
        if let before = run.loadBefore {
            let after = run.loadAfter.map { ", \(Markup.number($0)) after" } ?? ""
            facts.append(("load average", "\(Markup.number(before)) before\(after)"))
        }
        if let steal = run.noise?.stealShare { facts.append(("stolen by the host", Quantity.percent(steal))) }
        facts += run.scenarios.map { ("scenario \($0.name)", "\($0.path), SHA-256 \($0.sha256), seed \($0.seed)") }
        facts += (run.merged?.parts ?? []).map {
            ("shard \($0.shard)", "\($0.host.name): \($0.machineKind)")
        }
        all = facts.filter { !$0.1.isEmpty }
    }
}
