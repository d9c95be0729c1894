import EvictionPolicies
import Foundation
import Traces
import TrialModel

/// How good advice is: each trial asks for advice on a trace, and judges it on requests that the advice has not seen,
/// or against what is known of a generated trace. A trial prints a line for each case, and then its counts.
enum AdviceTrials {
    /// Advice is right when its policy is at most this much below the best one.
    static let toleratedLoss = 0.01

    /// The policies that advice may choose.
    static var candidates: [ReplayPolicy] {
        let names = [
            "fifo", "lru", "clock", "sieve", "slru", "two-queue", "s3-fifo", "arc", "car", "clock2q-plus", "s4-fifo",
            "w-tinylfu", "lirs",
        ]
        return names.compactMap { name in ReplayPolicy.all.first { $0.name == name } }
    }

    /// The hits of policies at sizes, in the order of both.
    static func hits(_ path: String, _ policies: [ReplayPolicy], _ entries: [Int]) throws -> [[Double]] {
        let replay = TraceReplay(policies: policies, capacities: entries.map { .entries($0) }, jobs: 2)
        let results = try replay.run(path: path).results
        return policies.map { policy in
            entries.map { entries in
                let found = results.first { $0.policy == policy && $0.capacity == .entries(entries) }
                return Double(found?.counts.hits ?? 0)
            }
        }
    }

    static func text(_ value: Double) -> String { String(format: "%.4f", value) }
}

/// A trace in a temporary file, which is removed with its owner.
final class TemporaryTrace {
    let path: String

    init(_ text: [UInt8], ending: String) throws {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).\(ending)").path
        try Data(text).write(to: URL(fileURLWithPath: path))
    }

    /// A trace of keys alone.
    convenience init(_ keys: some Sequence<UInt32>) throws {
        var text: [UInt8] = []
        for key in keys {
            text.append(contentsOf: String(key).utf8)
            text.append(UInt8(ascii: "\n"))
        }
        try self.init(text, ending: "lirs")
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
