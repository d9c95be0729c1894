import Foundation
import Testing

@testable import EvictionPolicies

/// Exact miss counts of an independent simulator, as ground truth: `Fixtures/truth.csv`, made by the script beside it
/// with libcachesim 0.3.5.
@Suite(.timeLimit(.minutes(5)))
struct PolicyTruthTests {
    struct Row: Sendable {
        let policy: String
        let capacity: PolicyCapacity
        let size: Int
        let misses: Int
    }

    @Test(arguments: SyntheticTrace.allCases) func `every policy misses as often as in the other simulator`(
        _ trace: SyntheticTrace
    ) throws {
        let rows = try Self.rows(of: trace)
        let objects = trace.objects
        #expect(rows.count == 138)
        for row in rows {
            #expect(misses(row, objects) == row.misses, "\(trace) \(row.policy) \(row.capacity)")
        }
    }

    @Test(arguments: SyntheticTrace.allCases) func `the stack distances give the misses of LRU at every size`(
        _ trace: SyntheticTrace
    ) throws {
        var distances = StackDistances()
        for object in trace.objects { distances.request(object) }
        let curve = distances.missCurve()
        for row in try Self.rows(of: trace) where row.policy == "lru" && row.capacity == .entries(row.size) {
            #expect(curve[min(row.size, curve.count - 1)] == row.misses, "\(trace) \(row.size)")
        }
    }

    private func misses(_ row: Row, _ objects: [ObjectID]) -> Int {
        switch row.policy {
        case "lru": return misses(LRUPolicy(capacity: row.capacity), objects)
        case "fifo": return misses(FIFOPolicy(capacity: row.capacity), objects)
        case "clock": return misses(CLOCKPolicy(capacity: row.capacity), objects)
        case "sieve": return misses(SIEVEPolicy(capacity: row.capacity), objects)
        case "lfu": return misses(LFUPolicy(capacity: row.capacity), objects)
        case "arc": return misses(ARCPolicy(capacity: row.capacity), objects)
        case "s3-fifo": return misses(S3FIFOPolicy(capacity: row.capacity), objects)
        case "s4-fifo": return misses(S4FIFOPolicy(capacity: row.capacity), objects)
        case "clock2q-plus": return misses(Clock2QPlusPolicy(capacity: row.capacity), objects)
        case "two-queue": return misses(TwoQueuePolicy(capacity: row.capacity), objects)
        case "slru": return misses(SLRUPolicy(capacity: row.capacity), objects)
        case "s4lru": return misses(S4LRUPolicy(capacity: row.capacity), objects)
        case "lfuda": return misses(LFUDAPolicy(capacity: row.capacity), objects)
        case "gdsf": return misses(GDSFPolicy(capacity: row.capacity), objects)
        case "lru-k":
            // That simulator keeps no history.
            let policy = LRUKPolicy(capacity: row.capacity, settings: settings(LRUKPolicy.history, 0))
            return misses(policy, objects)
        case "mq": return misses(MQPolicy(capacity: row.capacity), objects)
        case "mq-300":
            let policy = MQPolicy(capacity: row.capacity, settings: settings(MQPolicy.lifetimeLength, 300))
            return misses(policy, objects)
        case "second-request+lru":
            // That simulator's admission refuses with room left, too.
            return misses(LRUPolicy(capacity: row.capacity), objects, StrictAdmission())
        case "below-50+lru":
            var settings = PolicySettings()
            settings[SizeAdmission.scaleParameter] = 1e15
            settings[SizeAdmission.limitParameter] = 50
            let admission = SizeAdmission(capacity: row.capacity, settings: settings)
            return misses(LRUPolicy(capacity: row.capacity), objects, admission)
        default:
            let next = OptimalReplay.plainNextRequests(of: objects)
            var optimum = OptimalReplay(entries: row.size, requestCount: objects.count)
            return next.count { !optimum.request(next: $0) }
        }
    }

    private func settings(_ parameter: PolicyParameter, _ value: Double) -> PolicySettings {
        var settings = PolicySettings()
        settings[parameter] = value
        return settings
    }

    private func misses<Policy: TablePolicy & ~Copyable>(
        _ policy: consuming Policy, _ objects: [ObjectID], _ admission: (any AdmissionPolicy)? = nil
    ) -> Int {
        // The weight matters only under a capacity in weights.
        objects.count { !policy.request($0, weight: UInt64(1 + $0 * 7919 % 97), admission) }
    }

    /// Refuses first requests even while there is room.
    private final class StrictAdmission: AdmissionPolicy {
        static var declaration: PolicyDeclaration { SecondRequestAdmission.declaration }
        private let memory: SecondRequestAdmission
        var comparesWithVictim: Bool { false }
        var refusesBySize: Bool { true }

        init(capacity: PolicyCapacity = .entries(1), settings: PolicySettings = PolicySettings()) {
            memory = SecondRequestAdmission(capacity: capacity, settings: settings)
        }

        func use(_ object: ObjectID, charge: UInt64) {}

        func admits(_ object: ObjectID, charge: UInt64, over victim: ObjectID?, residents: Int) -> Bool {
            memory.admits(object, charge: charge, over: victim, residents: residents)
        }
    }

    private static func rows(of trace: SyntheticTrace) throws -> [Row] {
        let url = try #require(Bundle.module.url(forResource: "truth", withExtension: "csv", subdirectory: "Fixtures"))
        return try String(contentsOf: url, encoding: .utf8).split(whereSeparator: \.isNewline).compactMap { line in
            let fields = line.split(separator: ",")
            guard fields.count == 5, fields[0] == trace.rawValue else { return nil }
            let size = try #require(Int(fields[3]))
            return Row(
                policy: String(fields[1]), capacity: fields[2] == "entries" ? .entries(size) : .weight(UInt64(size)),
                size: size, misses: try #require(Int(fields[4])))
        }
    }
}
