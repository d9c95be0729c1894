/// What the clients of a phase prefetch: with each `prefetch` a client announces keys that it will look up next.
package struct Prefetching: Codable, Hashable, Sendable {
    /// How many keys one `prefetch` names.
    package var ahead: Int
    /// The share of these keys that the client really looks up next; the others are arbitrary keys.
    package var accuracy: Double
    /// How many distinct keys, the last ones looked up, are on the screen.
    package var visible: Int

    package init(ahead: Int = 8, accuracy: Double = 1, visible: Int = 12) {
        self.ahead = ahead
        self.accuracy = accuracy
        self.visible = visible
    }
}

extension Phase {
    /// The feature of the phase that prevents sending at a rate, and why; `nil`
    /// without one.
    package var reasonForOneProcess: String? {
        if frames != nil { return "frames, because a list scrolls by the clock, on one main thread" }
        if prefetching != nil { return "prefetch, because it names the keys that one client looks up next" }
        if memoryPressure != nil { return "memory pressure, because it comes once, to one process" }
        return nil
    }

    /// Removes all prefetches.
    package mutating func dropPrefetches() {
        prefetching = nil
        mix.weights[.prefetch] = nil
        for index in pools.indices { pools[index].mix.weights[.prefetch] = nil }
    }
}

/// How urgent a load is. It is the priority of the load's task, so that Swift raises it when a more urgent task waits
/// for the load.
package enum LoadPriority: String, Codable, Hashable, Sendable, CaseIterable {
    /// A user waits for the value.
    case user
    /// No caller waits yet.
    case utility

    /// Converts a task's priority; a thread without a task counts as working for a user.
    package init(_ priority: TaskPriority) {
        // Swift reports 0 outside of tasks.
        self = priority.rawValue > 0 && priority < .medium ? .utility : .user
    }

    /// The urgency for HTTP's header `priority` (RFC 9218, section 4.1): 0 is most urgent, 7 least, and 3 the default.
    package var urgency: Int { self == .user ? 3 : 5 }

    /// Parses a header `priority`; unknown content counts as no header. O(length).
    package init(header: String?) {
        let items = (header ?? "").split(separator: ",").map { $0.drop { $0 == " " } }
        let urgency = items.last { $0.hasPrefix("u=") }.flatMap { Int($0.dropFirst(2)) } ?? 3
        self = (4...7).contains(urgency) ? .utility : .user
    }
}
