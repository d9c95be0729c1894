import Foundation
import Locks
import Origins
import Reports
import TimedStrategies
import TrialModel
import TrialSessions

/// Measures caches whose times are known.
enum SelfChecks {
    static func measure() async throws -> [Check] {
        try await stall() + knownLatency()
    }

    private static func probe(_ driver: Driver) -> Strategy {
        let probe = Strategy(ProbeCache<Int>.self, ProbeCache<String>.self, ProbeCache<URL>.self)
        return driver == .tasks ? probe.drivenByTasks() : probe
    }

    /// A stall of 1 s in 10 s at 1,000 operations a second. A tenth of the operations is due during the stall, and
    /// waits between 1 s and nothing, so that the p95 of response times is 500 ms and their p99 900 ms. Only the few
    /// operations that clients had already sent have a long service time.
    private static func stall() async throws -> [Check] {
        ProbePause.current.withLock { $0 = .once(after: 4_000_000_000, nanoseconds: 1_000_000_000) }
        let phase = Phase(
            name: "stall", length: .duration(nanoseconds: 10_000_000_000), clients: 4, mix: OperationMix([.read: 1])
        ).with { $0.arrival = .open(.constant(1_000), .even) }
        let result = try await TrialInProcess.run(probe(.threads), phase)
        let response = latency(result, .response)
        let service = latency(result, .service)
        func near(_ what: String, _ seen: UInt64?, _ expected: UInt64) -> Check {
            let seen = seen ?? 0
            return Check(
                what: "a stall of 1 s in 10 s: \(what)", expected: "\(Quantity.duration(nanoseconds: expected)) ± 5 %",
                seen: Quantity.duration(nanoseconds: seen),
                holds: Double(seen) >= Double(expected) * 0.95 && Double(seen) <= Double(expected) * 1.05)
        }
        return [
            near("response p95", response?.p95, 500_000_000), near("response p99", response?.p99, 900_000_000),
            near("response max", response?.max, 1_000_000_000),
            Check(
                what: "a stall of 1 s in 10 s: service p99", expected: "under 1 ms",
                seen: Quantity.duration(nanoseconds: service?.p99 ?? .max), holds: (service?.p99 ?? .max) < 1_000_000),
        ]
    }

    /// The median of a lookup that sleeps for a time is this time, with any driver.
    private static func knownLatency() async throws -> [Check] {
        var checks: [Check] = []
        for milliseconds: UInt64 in [1, 5, 20] {
            for driver in [Driver.threads, .tasks] {
                let pause = milliseconds * 1_000_000
                ProbePause.current.withLock { $0 = .every(nanoseconds: pause) }
                let phase = Phase(
                    name: "sleep", length: .operations(2_000 / Int(milliseconds)), clients: 1,
                    mix: OperationMix([.read: 1])
                ).with { $0.driver = .automatic }
                let result = try await TrialInProcess.run(probe(driver), phase)
                let median = latency(result, .service)?.p50 ?? .max
                checks.append(
                    Check(
                        what: "a lookup that sleeps \(milliseconds) ms, on \(driver.rawValue): p50",
                        expected: "\(milliseconds) ms, and up to 1 ms more",
                        seen: Quantity.duration(nanoseconds: median),
                        holds: median >= pause && median <= pause + 1_000_000))
            }
        }
        return checks
    }

    private static func latency(_ result: PhaseResult, _ basis: LatencyBasis) -> LatencySummary? {
        result.latency[LatencyLabels(operation: .only(.read), basis: basis)]?.latency
    }
}
