package import Foundation
import Synchronization
package import TrialModel

/// An origin in the trial's own process that shares nothing between its callers: no log, no lock, no count.
///
/// A lock in the origin would create happens-before edges between a strategy's callers, and hide from a sanitizer that
/// the strategy itself creates none. So every fetch of a key gives the same version, and the log stays empty.
package struct UnsharedOrigin: Origin {
    private static let version: UInt64 = 1

    private let payloads: PayloadFactory
    private let registration: TrialRegistration
    private let delays: DistributionSampler
    /// Accessed with relaxed ordering, which creates no happens-before edges; it changes only between phases.
    private let phase = PhaseNumber()

    /// - Parameters:
    ///   - scenarioSeed: the scenario's seed.
    ///   - values: the kind and the sizes of the keys' values.
    ///   - origin: the delay.
    ///   - payloads: makes the values; `nil` makes one from the seed and the values.
    package init(
        scenarioSeed: UInt64, values: ValueSpecification, origin: OriginSpecification, payloads: PayloadFactory? = nil
    ) {
        self.payloads = payloads ?? PayloadFactory(specification: values, seed: scenarioSeed)
        registration = TrialRegistration(seed: scenarioSeed, values: values, origin: origin)
        delays = DistributionSampler(origin.delay)
    }

    package func fetch(_ key: UInt64) async throws -> Data {
        let start = Nanoclock.now()
        let answer = answer(key, start: start)
        let data = answer.damaged(try payloads.encoded(key: key, version: Self.version))
        try await Task.sleep(for: .nanoseconds(answer.due &- start), tolerance: .zero)
        if let failure = answer.failure { throw failure }
        return data
    }

    package func fetchBlocking(_ key: UInt64, deadline: Duration?) throws -> Data {
        let start = Nanoclock.now()
        let answer = answer(key, start: start)
        let data = answer.damaged(try payloads.encoded(key: key, version: Self.version))
        let deadline = deadline.map { start.advanced(by: $0) } ?? .max
        Nanoclock.sleep(until: min(answer.due, deadline))
        guard answer.due <= deadline else { throw CancellationError() }
        if let failure = answer.failure { throw failure }
        return data
    }

    package func beginPhase(_ index: Int) { phase.number.store(UInt16(clamping: index), ordering: .relaxed) }

    package func log(phase: Int) async throws -> OriginLog { OriginLog() }

    package func requestList() async throws -> OriginRequestList { OriginRequestList() }

    package func shutdown() async throws {}

    /// Requests aren't counted. With faults, the time serves as the attempt number; without them, all requests are the
    /// first.
    private func answer(_ key: UInt64, start: UInt64) -> InProcessAnswer {
        let attempt = registration.origin.faults == nil ? Self.version : start
        return InProcessAnswer(
            registration, key: key, attempt: attempt, phase: phase.number.load(ordering: .relaxed), start: start,
            delays: delays)
    }
}

/// The index of the phase that runs.
private final class PhaseNumber: Sendable {
    let number = Atomic<UInt16>(0)
}
