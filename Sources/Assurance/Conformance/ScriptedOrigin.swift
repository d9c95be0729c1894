import CacheStrategies
public import Foundation
import Locks

/// The origin of a test's loads: it answers by script, can hold its answers back, and counts the fetches that reach
/// it.
public final class ScriptedOrigin: Sendable {
    /// The error of a scripted fetch that fails.
    public struct Refused: Error, Equatable {
        /// The error.
        public init() {}
    }

    /// The bytes of a key by its number.
    public typealias Usual = @Sendable (Int) throws -> Data

    /// How a fetch ends.
    public enum Answer: Sendable {
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
    private let usual: Usual
    /// Every fetch that has reached the origin, for any key.
    public let arrivals = Arrivals()

    /// - Parameter usual: the answer for a key, by the key's number, where no answer is scripted. What it throws, the
    ///   fetch throws.
    public init(usual: @escaping Usual) {
        gates = Locked([:])
        self.usual = usual
    }

    /// Scripts the answers to the next fetches of a key, in order; later fetches get the usual answer.
    public func script(_ answers: [Answer], forKey key: Int) {
        state.withLock { $0.scripts[key] = answers }
    }

    /// Holds back the answers for a key until ``release(_:)``.
    public func hold(_ key: Int) {
        gates.withLock { $0[key] = FetchGate() }
    }

    /// Answers all fetches that wait for a key, and holds back no later ones.
    public func release(_ key: Int) {
        gates.withLock { $0[key] }?.open()
    }

    /// Releases all keys.
    public func releaseAll() {
        for gate in gates.withLock({ Array($0.values) }) { gate.open() }
    }

    /// The number of fetches of a key that have reached the origin.
    public func fetchCount(forKey key: Int) -> Int { state.withLock { $0.fetches[key, default: 0] } }

    /// The highest number of fetches of a key that were in flight at the same time.
    public func mostInFlight(forKey key: Int) -> Int { state.withLock { $0.mostInFlight[key, default: 0] } }

    /// One fetch, as a load's closure makes it.
    ///
    /// - Throws: ``Refused`` when scripted so; `CancellationError` when cancelled while the answer is held back.
    public func fetch(_ key: Int) async throws -> Data {
        let answer = begin(key)
        defer { state.withLock { $0.inFlight[key, default: 1] -= 1 } }
        arrivals.arrive()
        let gate = gates.withLock { $0[key] }
        try await gate?.wait()
        return try bytes(of: answer, forKey: key)
    }

    /// One fetch on the caller's own thread.
    public func fetchBlocking(_ key: Int) throws -> Data {
        let answer = begin(key)
        defer { state.withLock { $0.inFlight[key, default: 1] -= 1 } }
        arrivals.arrive()
        gates.withLock { $0[key] }?.waitBlocking()
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
