/// The specification of `lru`, simple enough to verify by reading: an array of entries, newest first.
package struct LRUModel {
    /// The entry of a key.
    package struct Entry {
        package var key: Int
        package var value: Int
        package var cost: Int
    }

    package let entryLimit: Int?
    package let costLimit: Int?
    package private(set) var entries: [Entry] = []
    package private(set) var evictions: UInt64 = 0

    package init(entryLimit: Int?, costLimit: Int?) {
        // A limit of costs alone limits entries without cost, too.
        self.entryLimit = entryLimit ?? costLimit
        self.costLimit = costLimit
    }

    package var totalCost: Int { entries.map(\.cost).reduce(0, +) }

    private var isOverLimit: Bool {
        if let entryLimit, entries.count > entryLimit { return true }
        if let costLimit, totalCost > costLimit { return true }
        return false
    }

    package mutating func value(forKey key: Int) -> Int? {
        guard let position = entries.firstIndex(where: { $0.key == key }) else { return nil }
        let entry = entries.remove(at: position)
        entries.insert(entry, at: 0)
        return entry.value
    }

    package mutating func insert(_ value: Int, forKey key: Int, cost: Int) {
        entries.removeAll { $0.key == key }
        let cost = max(cost, 0)
        if let costLimit, cost > costLimit { return }
        if let entryLimit, entryLimit < 1 { return }
        entries.insert(Entry(key: key, value: value, cost: cost), at: 0)
        while isOverLimit {
            entries.removeLast()
            evictions += 1
        }
    }

    package mutating func removeValue(forKey key: Int) {
        entries.removeAll { $0.key == key }
    }

    package mutating func removeAll() {
        entries = []
    }
}
