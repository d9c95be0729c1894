import Foundation
import Testing

@testable import EvictionPolicies

/// Miss counts of a simulator that nobody here wrote, to the last miss: `Fixtures/truth.csv`, made by the script beside
/// it with libcachesim 0.3.5.
@Suite(.timeLimit(.minutes(3)))
struct PolicyTruthTests {
    struct Row: Sendable {
        let policy: String
        let entries: Int
        let misses: Int
    }

    @Test(arguments: SyntheticTrace.allCases) func `every policy misses as often as in the other simulator`(
        _ trace: SyntheticTrace
    ) throws {
        let rows = try Self.rows(of: trace)
        let objects = trace.objects
        #expect(rows.count == 46)
        for row in rows {
            let misses = try misses(row.policy, objects, entries: row.entries)
            #expect(misses == row.misses, "\(trace) \(row.policy) \(row.entries)")
        }
    }

    @Test(arguments: SyntheticTrace.allCases) func `the stack distances give the misses of LRU at every size`(
        _ trace: SyntheticTrace
    ) throws {
        var distances = StackDistances()
        for object in trace.objects { distances.request(object) }
        let curve = distances.missCurve()
        for row in try Self.rows(of: trace) where row.policy == "lru" {
            #expect(curve[min(row.entries, curve.count - 1)] == row.misses, "\(trace) \(row.entries)")
        }
    }

    private func misses(_ policy: String, _ objects: [ObjectID], entries: Int) throws -> Int {
        switch policy {
        case "lru": return misses(LRUPolicy(capacity: .entries(entries)), objects)
        case "fifo": return misses(FIFOPolicy(capacity: .entries(entries)), objects)
        case "clock": return misses(CLOCKPolicy(capacity: .entries(entries)), objects)
        case "sieve": return misses(SIEVEPolicy(capacity: .entries(entries)), objects)
        case "lfu": return misses(LFUPolicy(capacity: .entries(entries)), objects)
        case "arc": return misses(ARCPolicy(capacity: .entries(entries)), objects)
        case "two-queue": return misses(TwoQueuePolicy(capacity: .entries(entries)), objects)
        default:
            let next = OptimalReplay.nextRequests(of: objects)
            var optimum = OptimalReplay(entries: entries, requestCount: objects.count)
            return next.count { !optimum.request(next: $0) }
        }
    }

    private func misses<Policy: EvictionPolicy & ~Copyable>(_ policy: consuming Policy, _ objects: [ObjectID]) -> Int {
        var count = 0
        for object in objects where !policy.request(object, weight: 1) { count += 1 }
        return count
    }

    private static func rows(of trace: SyntheticTrace) throws -> [Row] {
        let url = try #require(Bundle.module.url(forResource: "truth", withExtension: "csv", subdirectory: "Fixtures"))
        return try String(contentsOf: url, encoding: .utf8).split(whereSeparator: \.isNewline).compactMap { line in
            let fields = line.split(separator: ",")
            guard fields.count == 5, fields[0] == trace.rawValue else { return nil }
            return Row(
                policy: String(fields[1]), entries: try #require(Int(fields[2])), misses: try #require(Int(fields[4])))
        }
    }
}
