/// Entries in a ring with a hand: the algorithm known as CLOCK (Corbató, 1968). Not thread-safe.
struct Ring<Key: Hashable, Value> {
    private struct Slot {
        let key: Key
        var value: Value
        var cost: Int
        var wasUsed: Bool
    }

    private let entryLimit: Int
    private let costLimit: Int
    private var slots: [Slot?] = []
    private var free: [Int] = []
    private var places: [Key: Int] = [:]
    private var hand = 0
    /// The sum of the entries' costs; at most the limit.
    private(set) var totalCost = 0
    /// The number of evicted entries.
    private(set) var evictions: UInt64 = 0

    init(entryLimit: Int, costLimit: Int) {
        self.entryLimit = entryLimit
        self.costLimit = costLimit
    }

    var count: Int { places.count }

    /// The value of a key, which gets a second chance. O(1).
    mutating func value(forKey key: Key) -> Value? {
        guard let place = places[key] else { return nil }
        slots[place]?.wasUsed = true
        return slots[place]?.value
    }

    /// Inserts or replaces. A value that alone exceeds the limit is not held, and neither is the value it replaces.
    /// O(1), amortised.
    mutating func insert(_ value: Value, forKey key: Key, cost: Int) {
        removeValue(forKey: key)
        guard entryLimit > 0, cost <= costLimit else { return }
        while count >= entryLimit || totalCost > costLimit - cost { evictOne() }
        let slot = Slot(key: key, value: value, cost: cost, wasUsed: false)
        if let place = free.popLast() {
            slots[place] = slot
            places[key] = place
        } else {
            places[key] = slots.count
            slots.append(slot)
        }
        totalCost += cost
    }

    /// Removes an entry, if there is one. O(1).
    mutating func removeValue(forKey key: Key) {
        guard let place = places.removeValue(forKey: key) else { return }
        totalCost -= slots[place]?.cost ?? 0
        slots[place] = nil
        free.append(place)
    }

    mutating func removeAll() {
        slots = []
        free = []
        places = [:]
        hand = 0
        totalCost = 0
    }

    /// Moves the hand to the next entry that was not used since the hand last passed, and evicts it.
    private mutating func evictOne() {
        while true {
            if hand >= slots.count { hand = 0 }
            defer { hand += 1 }
            guard let slot = slots[hand] else { continue }
            guard slot.wasUsed else {
                removeValue(forKey: slot.key)
                evictions += 1
                return
            }
            slots[hand]?.wasUsed = false
        }
    }
}
