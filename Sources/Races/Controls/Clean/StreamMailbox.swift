import Synchronization

/// Objects that several tasks fill and send to one reader through a stream.
///
/// The reader asks only for objects that were already sent. Asking earlier is correct as well, but a reader that is
/// woken just before it suspends continues without the runtime telling the sanitizer (Swift 6.3), and a race on its
/// object would be reported.
final class StreamMailbox: @unchecked Sendable {
    // `value` is written before the object is yielded, and read by the only task that gets it.
    private var value = 0

    /// Counts the sent objects, with relaxed ordering, so that only the stream orders the tasks.
    private final class Counter: Sendable {
        let sent = Atomic(0)
    }

    private static func sum(of stream: AsyncStream<StreamMailbox>, counter: Counter) async -> Int {
        var iterator = stream.makeAsyncIterator()
        var sum = 0
        for received in 0..<ContendingTasks.totalOperationCount {
            while counter.sent.load(ordering: .relaxed) <= received { await Task.yield() }
            sum += await iterator.next()?.value ?? 0
        }
        return sum
    }

    static let control = RaceControl(.clean, "async-stream", summary: "an `AsyncStream` carries objects to one reader")
    {
        let (stream, continuation) = AsyncStream.makeStream(of: StreamMailbox.self)
        let counter = Counter()
        let reader = Task { await sum(of: stream, counter: counter) }
        await ContendingTasks.run { _, index in
            let object = StreamMailbox()
            object.value = index
            continuation.yield(object)
            counter.sent.wrappingAdd(1, ordering: .relaxed)
        }
        return await reader.value == ContendingTasks.count * ContendingTasks.indexSum
    }
}
