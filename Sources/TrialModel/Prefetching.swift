/// What the clients of a phase prefetch: with each `prefetch` a client names the keys that it asks for next.
package struct Prefetching: Codable, Hashable, Sendable {
    /// How many keys one `prefetch` names.
    package var ahead: Int
    /// The share of them that the client really asks for next; the others are any keys.
    package var accuracy: Double
    /// How many different keys, those asked for last, are on the screen.
    package var visible: Int

    package init(ahead: Int = 8, accuracy: Double = 1, visible: Int = 12) {
        self.ahead = ahead
        self.accuracy = accuracy
        self.visible = visible
    }
}

extension Phase {
    /// What of it can neither be sent at a rate nor shared by several generators, and why; `nil` where there is nothing.
    package var reasonForOneProcess: String? {
        if frames != nil { return "frames, because a list scrolls by the clock, on one main thread" }
        if prefetching != nil { return "prefetch, because it names the keys that one client looks up next" }
        if memoryPressure != nil { return "memory pressure, because it comes once, to one process" }
        return nil
    }

    /// Leaves prefetches out.
    package mutating func dropPrefetches() {
        prefetching = nil
        mix.weights[.prefetch] = nil
        for index in pools.indices { pools[index].mix.weights[.prefetch] = nil }
    }
}

/// How urgent a load is. It is the priority of the load's task, so that Swift raises it where a more urgent task waits for it.
package enum LoadPriority: String, Codable, Hashable, Sendable, CaseIterable {
    /// A user waits for the value.
    case user
    /// Nobody waits yet.
    case utility

    /// The priority of a task; a thread without a task works for a user.
    package init(_ priority: TaskPriority) {
        // 0 is what Swift says outside of tasks.
        self = priority.rawValue > 0 && priority < .medium ? .utility : .user
    }

    /// The urgency as HTTP's header `priority` has it (RFC 9218, section 4.1): 0 to 7, 3 where nothing is said, less is more.
    package var urgency: Int { self == .user ? 3 : 5 }

    /// What a header `priority` says; anything that is not understood counts as no header. O(length).
    package init(header: String?) {
        let items = (header ?? "").split(separator: ",").map { $0.drop { $0 == " " } }
        let urgency = items.last { $0.hasPrefix("u=") }.flatMap { Int($0.dropFirst(2)) } ?? 3
        self = (4...7).contains(urgency) ? .utility : .user
    }
}
