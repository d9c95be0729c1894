/// A table that the first of many readers makes.
enum StaticTable {
    // The language initialises it once, and makes every other reader wait until that is done.
    private static let squares = (0..<50).map { $0 * $0 }

    static let control = RaceControl(.clean, "static-let", summary: "many threads are the first to read a `static let`")
    {
        let sums = SumPerClient(count: ContendingThreads.count)
        await ContendingThreads.run { thread, index in sums.add(squares[index % 50], client: thread) }
        // The sum is 40 times that of the squares from 0 to 49 on each thread.
        return sums.total == ContendingThreads.count * 40 * 40_425
    }
}
