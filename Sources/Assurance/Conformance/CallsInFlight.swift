package import Locks
import Platform

/// The calls of a cache that have begun and not ended, so that a message about one that never ends can name it.
package final class CallsInFlight: Sendable {
    private struct State {
        var steps: UInt64 = 0
        var calls: [UInt64: Call] = [:]
        /// Calls that others record: how many have ended, and those in flight.
        var others: (ended: @Sendable () -> UInt64, texts: @Sendable () -> [String])?
        var hangs = 0
    }

    private struct Call {
        var text: String
        /// The thread on which it began; `nil` once that thread is known to do something else.
        var thread: UInt64?
    }

    private let state = Locked(State())

    /// No calls.
    package init() {}

    /// A number that changes whenever a call begins or ends.
    package var steps: UInt64 {
        let (steps, others) = state.withLock { ($0.steps, $0.others) }
        return steps &+ (others?.ended() ?? 0)
    }

    /// The same, and `nil` while no call is in flight, because the check itself waits for a time or computes.
    package var stepsOfCalls: UInt64? {
        let (isIdle, others) = state.withLock { ($0.calls.isEmpty, $0.others) }
        return isIdle && others?.texts().isEmpty != false ? nil : steps
    }

    /// How often the calls did not go on by themselves.
    package var hangs: Int { state.withLock { $0.hangs } }

    /// Notes that a call did not go on.
    package func noteHang() { state.withLock { $0.hangs += 1 } }

    /// The calls in flight, in the order of their beginnings: equal ones once, and no more than four.
    package var text: String {
        let (own, others) = state.withLock { ($0.calls.sorted { $0.key < $1.key }.map(\.value.text), $0.others) }
        let all = own + (others?.texts() ?? [])
        guard !all.isEmpty else { return "no call in flight" }
        var counts: [(text: String, count: Int)] = []
        for text in all {
            if let place = counts.firstIndex(where: { $0.text == text }) {
                counts[place].count += 1
            } else {
                counts.append((text, 1))
            }
        }
        let named = counts.prefix(4).map { $0.count == 1 ? $0.text : "\($0.text) (\($0.count) callers)" }
        let rest = counts.count - named.count
        return "in flight: " + named.joined(separator: "; ") + (rest > 0 ? "; and \(rest) more" : "")
    }

    /// A call begins.
    ///
    /// - Returns: the number to end it with.
    func begin(_ what: String) -> UInt64 {
        state.withLock { state in
            state.steps += 1
            state.calls[state.steps] = Call(text: what, thread: threadNumber())
            return state.steps
        }
    }

    func end(_ number: UInt64) {
        state.withLock { state in
            state.steps += 1
            state.calls[number] = nil
        }
    }

    /// Adds the calls of concurrent callers, which have records of their own, until they end.
    func add(ended: @escaping @Sendable () -> UInt64, texts: @escaping @Sendable () -> [String]) {
        state.withLock { $0.others = (ended, texts) }
    }

    func dropOthers() {
        state.withLock { state in
            state.steps += 1
            state.others = nil
        }
    }

    /// The calling thread is free: no call that began on it blocks it.
    private func noteFreeThread() {
        let thread = threadNumber()
        state.withLock { state in
            for (number, call) in state.calls where call.thread == thread { state.calls[number]?.thread = nil }
        }
    }

    /// Whether a call may block the thread on which it began.
    private var mayBlock: Bool { state.withLock { $0.others != nil || $0.calls.values.contains { $0.thread != nil } } }

    /// How long calls may take no step before they count as hung.
    package static let patience = Duration.seconds(8)

    /// Watches until the returned watch is told to end.
    ///
    /// - Parameter onHang: called at most once, on a thread of its own, with what is in flight and whether the pool is blocked.
    package func watch(_ onHang: @escaping @Sendable (_ text: String, _ isPoolBlocked: Bool) -> Void) -> WorkWatch {
        let stops = Locked(0)
        return WorkWatch(Self.patience, steps: { [self] in stepsOfCalls }, onTurn: { [self] in noteFreeThread() }) {
            [self] isPoolBlocked in
            let count = stops.withLock {
                $0 += 1; return $0
            }
            // Other work of the process may block the pool for a while.
            if isPoolBlocked, !mayBlock, count < 10 { return false }
            noteHang()
            let blocked = isPoolBlocked ? ", and the pool of tasks has no free thread" : ""
            onHang("no call ended in \(Self.patience.components.seconds) s\(blocked); \(text)", isPoolBlocked)
            return true
        }
    }
}
