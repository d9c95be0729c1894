import CacheStrategies
import Dispatch
import Foundation
import Locks
import Platform
import TimedStrategies
import TrialModel

@testable import TrialLoop

/// A trial in the tests' own process that takes turns; a separate thread grants them as they are requested.
final class TurnGrants: Sendable {
    /// When a trial was idle, in nanoseconds on the machine's clock.
    struct Pause: Sendable {
        /// When the trial sent its message that it waits.
        var start: UInt64
        /// When the next turn was granted.
        var end: UInt64
    }

    private struct State: Sendable {
        var messages: [TrialMessage] = []
        var waits: [UInt64] = []
        var grants: [UInt64] = []
        var isOver = false
    }

    private let state = Locked(State())
    private let asked = DispatchSemaphore(value: 0)
    private let delay: UInt64

    private init(delay: UInt64) {
        self.delay = delay
    }

    /// Runs a trial to its end.
    ///
    /// - Parameter delay: how long each turn is delayed, in nanoseconds.
    static func run(
        _ strategy: Strategy, _ scenario: Scenario, _ settings: TurnSettings, delay: UInt64 = 0
    ) async throws -> TurnGrants {
        let grants = TurnGrants(delay: delay)
        let channel = TrialChannel { grants.note($0) }
        let gate = TurnGate(settings, channel: channel)
        DedicatedThreads.start(name: "grants") { grants.serve(gate) }
        defer { grants.stop() }
        let identity = TrialIdentity(scenario: scenario.point, strategy: strategy.declaration.name, repetition: 1)
        try await strategy.runTrial(
            TrialSpecification(
                identity: identity, scenario: scenario, originAddress: nil,
                directory: FileManager.default.temporaryDirectory.path, turns: settings),
            channel: channel, turns: gate)
        return grants
    }

    /// All messages of the trial.
    var messages: [TrialMessage] { state.withLock { $0.messages } }

    /// The results of all phases.
    var results: [PhaseResult] {
        messages.compactMap { if case .phaseFinished(let result) = $0 { result } else { nil } }
    }

    /// The version and the phase of each waiting message of the trial.
    var waits: [(version: Int, phase: Int)] {
        messages.compactMap { message in
            guard case .waiting(let version, let phase) = message else { return nil }
            return (version: version, phase: phase)
        }
    }

    /// The times from each waiting message of the trial to the grant that followed.
    var pauses: [Pause] {
        state.withLock { state in zip(state.waits, state.grants).map { Pause(start: $0, end: $1) } }
    }

    private func note(_ line: Data) {
        let time = Nanoclock.now()
        guard let message = try? JSONDecoder().decode(TrialMessage.self, from: line) else { return }
        let isWaiting = if case .waiting = message { true } else { false }
        state.withLock { state in
            state.messages.append(message)
            if isWaiting { state.waits.append(time) }
        }
        if isWaiting { asked.signal() }
    }

    private func serve(_ gate: TurnGate) {
        while true {
            asked.wait()
            if state.withLock({ $0.isOver }) { return }
            if delay > 0 { Nanoclock.sleep(until: Nanoclock.now() + delay) }
            let time = Nanoclock.now()
            state.withLock { $0.grants.append(time) }
            gate.go()
        }
    }

    private func stop() {
        state.withLock { $0.isOver = true }
        asked.signal()
    }
}
