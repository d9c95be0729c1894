/// A table isolated by an actor.
actor ActorCache {
    private var table: [Int: Int] = [:]

    private func increment(_ key: Int) {
        table[key, default: 0] += 1
    }

    private var sum: Int { table.values.reduce(0, +) }

    static let control = RaceControl(.clean, "actor", summary: "an actor keeps the table") {
        let cache = ActorCache()
        await ContendingTasks.run { _, index in await cache.increment(index % 8) }
        return await cache.sum == ContendingTasks.totalOperationCount
    }
}
