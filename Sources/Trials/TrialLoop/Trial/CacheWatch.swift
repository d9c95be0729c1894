import Foundation
import Locks
import Platform

/// Watches the cache of a trial, and tells when a call of it never returns.
///
/// In a phase, operations have to end. Outside of phases a call may take as long as it works: only a time in which all threads
/// of the process wait counts against it.
final class CacheWatch: Sendable {
    private enum Work: Sendable {
        case nothing
        case call(String)
        case phase(PhaseProgress)
    }

    private let work: Locked<Work>
    private let watch: WorkWatch

    /// Begins to watch.
    ///
    /// - Parameters:
    ///   - limit: how long the cache may take no step.
    ///   - onHang: called once, with what does not go on.
    init(_ limit: Duration, onHang: @escaping @Sendable (String) -> Void) {
        let work = Locked(Work.nothing)
        self.work = work
        watch = WorkWatch(
            limit,
            steps: {
                switch work.withLock({ $0 }) {
                case .nothing: nil
                case .call: allThreadsWait() ? 0 : Nanoclock.now()
                case .phase(let progress): progress.total
                }
            },
            onStop: { isPoolBlocked in
                let time = "\(limit.components.seconds) s"
                let blocked = isPoolBlocked ? ", and the pool of tasks has no free thread" : ""
                switch work.withLock({ $0 }) {
                case .nothing: return false
                case .call(let name): onHang("\(name) did not end in \(time)\(blocked)")
                case .phase(let progress): onHang("no operation ended in \(time), after \(progress.total)\(blocked)")
                }
                return true
            })
    }

    /// Watches one call outside of phases.
    func call<Answer>(_ name: String, _ body: () async throws -> Answer) async rethrows -> Answer {
        work.withLock { $0 = .call(name) }
        defer { work.withLock { $0 = .nothing } }
        return try await body()
    }

    /// Watches a phase whose clients send one operation after the other.
    func begin(_ progress: PhaseProgress) { work.withLock { $0 = .phase(progress) } }

    /// The phase has ended.
    func endPhase() { work.withLock { $0 = .nothing } }

    /// The trial has ended.
    func end() { watch.end() }
}
