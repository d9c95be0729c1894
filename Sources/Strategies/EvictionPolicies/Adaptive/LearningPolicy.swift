/// A policy that evicts by one of two experts at random, by recency or by frequency, and learns from requests for what
/// either evicted. Its two queues of ghosts are 2, of what recency evicted, and 3.
protocol LearningPolicy: RememberingPolicy, ~Copyable where Entry == TraceEntry, Note: LearningNote {
    /// The resident objects in order of frequency.
    var frequencies: LFUPolicy { get set }
    /// What the expert for recency evicted, and what the one for frequency did.
    var recentGhosts: GhostQueue { get set }
    var frequentGhosts: GhostQueue { get set }
    /// The probability with which recency decides.
    var recencyWeight: Double { get set }
    /// From a fixed seed.
    var random: RandomStream { get set }

    /// The entries that the experts evict next.
    mutating func experts() -> (recent: UInt32, frequent: UInt32)
}

/// The queue of an object, and its place in another order.
protocol LearningNote: QueueNote {
    /// For a resident object its entry in the order of frequencies.
    var other: UInt32 { get set }
}

extension LearningPolicy where Self: ~Copyable {
    static var ghostShare: PolicyParameter {
        PolicyParameter("ghosts", .share, 0...2, standard: 0.5, "each history as a share of the capacity")
    }

    /// An empty history, queue 2 or 3.
    static func history(_ queue: UInt32, _ budget: Budget, _ settings: PolicySettings) -> GhostQueue {
        GhostQueue(queue: queue, limit: budget.share(settings[ghostShare]))
    }

    /// Lowers the weight of the expert that evicted a ghost, by a factor.
    mutating func lowerWeight(ofExpertFor queue: UInt8, by factor: Double) {
        var weights = (recencyWeight, 1 - recencyWeight)
        if queue == 2 { weights.0 *= factor } else { weights.1 *= factor }
        // Neither weight comes so close to 0 that it takes long to return.
        recencyWeight = min(max(weights.0 / (weights.0 + weights.1), 0.01), 0.99)
    }

    /// The entry that is evicted next, and the history for it; 0 where both experts agree.
    mutating func choose() -> (entry: UInt32, queue: UInt32) {
        let (recent, frequent) = experts()
        if recent == frequent { return (recent, 0) }
        return random.fraction() < recencyWeight ? (recent, 2) : (frequent, 3)
    }

    /// The victim of a miss on an object that is in no history.
    mutating func upcomingVictim() -> ObjectID? {
        guard budget.count > 0 else { return nil }
        // The eviction draws the same number again.
        let before = random
        defer { random = before }
        return table.object(choose().entry)
    }
}
