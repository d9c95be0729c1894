package import TrialModel

/// The queue of an origin with a limited number of slots: it serves the most urgent waiting request, and the first of
/// equals.
///
/// A plain value; ``OriginSlots`` puts it behind a lock.
package struct SlotQueue: Sendable {
    /// A request, identified by its key and the version that answers it.
    package struct Request: Hashable, Sendable {
        package var key: UInt64
        package var version: UInt64

        package init(key: UInt64, version: UInt64) {
            self.key = key
            self.version = version
        }

        package init(_ ticket: RequestLog.Ticket) { self.init(key: ticket.key, version: ticket.version) }
    }

    private struct Waiting {
        var priority: LoadPriority
        var serve: @Sendable () -> Void
    }

    private let slotCount: Int
    private var served: Set<Request> = []
    private var waiting: [Request: Waiting] = [:]
    /// How many requests were raised.
    package private(set) var raisedCount: UInt64 = 0
    /// How many requests have a slot.
    package var servedCount: Int { served.count }
    /// How many requests wait.
    package var waitingCount: Int { waiting.count }
    /// The waiting requests of each priority, in order. A request that was raised or has left stays in its line until
    /// its turn.
    private var lines: [LoadPriority: ArraySlice<Request>] = [:]

    package init(slotCount: Int) {
        self.slotCount = max(1, slotCount)
    }

    /// A request arrives. O(1), amortised.
    ///
    /// - Parameter serve: called once it has a slot, unless it has one at once.
    /// - Returns: whether it has a slot at once.
    package mutating func enter(
        _ request: Request, _ priority: LoadPriority, serve: @escaping @Sendable () -> Void
    ) -> Bool {
        if served.count < slotCount {
            served.insert(request)
            return true
        }
        waiting[request] = Waiting(priority: priority, serve: serve)
        lines[priority, default: []].append(request)
        return false
    }

    /// A request ends, served or not. O(1), amortised.
    ///
    /// - Returns: the callback of the request that has the slot now; `nil` when there is none.
    package mutating func leave(_ request: Request) -> (@Sendable () -> Void)? {
        waiting[request] = nil
        guard served.remove(request) != nil else { return nil }
        for priority in LoadPriority.allCases {
            while let next = lines[priority]?.popFirst() {
                guard let found = waiting[next], found.priority == priority else { continue }
                waiting[next] = nil
                served.insert(next)
                return found.serve
            }
        }
        return nil
    }

    /// Gives the waiting requests for a key a user's priority, behind those that had it before. O(waiting requests).
    package mutating func raise(_ key: UInt64) {
        let raised = waiting.filter { $0.key.key == key && $0.value.priority != .user }.keys
        for request in raised.sorted(by: { $0.version < $1.version }) {
            waiting[request]?.priority = .user
            raisedCount += 1
            lines[.user, default: []].append(request)
        }
    }
}
