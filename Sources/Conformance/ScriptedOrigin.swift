import CacheStrategies
package import Foundation
import Locks

/// Where loads of a test fetch from: answers by script, can hold its answers back, and counts what reaches it.
package final class ScriptedOrigin: Sendable {
    /// What a scripted fetch fails with.
    package struct Refused: Error, Equatable {
        package init() {}
    }

    /// How a fetch ends.
    package enum Answer: Sendable {
        case bytes(Data)
        case refused
    }

    private struct State {
        var fetches: [Int: Int] = [:]
        var inFlight: [Int: Int] = [:]
        var mostInFlight: [Int: Int] = [:]
        var scripts: [Int: [Answer]] = [:]
    }

    private let state = Locked(State())
    private let gates: Locked<[Int: FetchGate]>
    private let usual: @Sendable (Int) throws -> Data
    /// Every fetch that has reached the origin, whichever key it asks for.
    package let arrivals = Arrivals()

    /// - Parameter usual: the answer for a key, by the key's number, where nothing else is scripted.
    package init(usual: @escaping @Sendable (Int) throws -> Data) {
        gates = Locked([:])
        self.usual = usual
    }

    /// Answers the next fetches of a key so, one after the other; then as usual.
    package func script(_ answers: [Answer], forKey key: Int) {
        state.withLock { $0.scripts[key] = answers }
    }

    /// Holds the answers for a key back until ``release(_:)``.
    package func hold(_ key: Int) {
        gates.withLock { $0[key] = FetchGate() }
    }

    /// Answers everyone who waits for a key, and is held no more.
    package func release(_ key: Int) {
        gates.withLock { $0[key] }?.open()
    }

    /// Holds nothing any more.
    package func releaseAll() {
        for gate in gates.withLock({ Array($0.values) }) { gate.open() }
    }

    /// How many fetches of a key have reached the origin.
    package func fetchCount(forKey key: Int) -> Int { state.withLock { $0.fetches[key, default: 0] } }

    /// The most fetches of a key that were under way at one time.
    package func mostInFlight(forKey key: Int) -> Int { state.withLock { $0.mostInFlight[key, default: 0] } }

    /// One fetch, as a load's closure makes it.
    ///
    /// - Throws: ``Refused`` when scripted so; `CancellationError` when cancelled while it is held back.
    package func fetch(_ key: Int) async throws -> Data {
        let answer = begin(key)
        defer { state.withLock { $0.inFlight[key, default: 1] -= 1 } }
        arrivals.arrive()
        let gate = gates.withLock { $0[key] }
        try await gate?.wait()
        return try bytes(of: answer, forKey: key)
    }

    /// One fetch of a caller that owns its thread; it is never held back.
    package func fetchBlocking(_ key: Int) throws -> Data {
        let answer = begin(key)
        defer { state.withLock { $0.inFlight[key, default: 1] -= 1 } }
        arrivals.arrive()
        return try bytes(of: answer, forKey: key)
    }

    private func begin(_ key: Int) -> Answer? {
        state.withLock { state in
            state.fetches[key, default: 0] += 1
            state.inFlight[key, default: 0] += 1
            state.mostInFlight[key] = max(state.mostInFlight[key, default: 0], state.inFlight[key, default: 0])
            guard let script = state.scripts[key], let first = script.first else { return nil }
            state.scripts[key] = Array(script.dropFirst())
            return first
        }
    }

    private func bytes(of answer: Answer?, forKey key: Int) throws -> Data {
        switch answer {
        case .bytes(let bytes): bytes
        case .refused: throw Refused()
        case nil: try usual(key)
        }
    }
}
