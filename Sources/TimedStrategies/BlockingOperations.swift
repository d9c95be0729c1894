public import CacheStrategies
public import Measurement
public import Origins
public import Payloads

/// The operations of an open synchronous cache for one client: functions of a key's number, compiled for the cache's type.
///
/// Both readings of the clock are in these functions, and between them stands the strategy's call alone. So the loop that
/// calls them is compiled once for all strategies, and its indirect calls are not timed. Each client has functions of its
/// own, which share no object but the cache, the keys and the origin.
@usableFromInline
package struct BlockingOperations: Sendable {
    /// Looks a key up.
    @usableFromInline package let read: @Sendable (UInt32) -> TimedAnswer
    /// Inserts a value.
    @usableFromInline package let write: @Sendable (UInt32, Payload) -> TimedAnswer
    /// Removes a key's entry.
    @usableFromInline package let remove: @Sendable (UInt32) -> TimedAnswer
    /// Removes all entries.
    @usableFromInline package let clear: @Sendable () -> TimedAnswer
    /// Looks a key up and fetches what is not there; gives the fetch up after a time, if there is one.
    @usableFromInline package let load: @Sendable (UInt32, Duration?) -> TimedAnswer
    /// The same in a task, where fetching suspends.
    @usableFromInline package let loadInTask: SuspendingOperations.Load

    /// Operations that something else than a strategy's type makes up.
    package init(
        read: @escaping @Sendable (UInt32) -> TimedAnswer, write: @escaping @Sendable (UInt32, Payload) -> TimedAnswer,
        remove: @escaping @Sendable (UInt32) -> TimedAnswer, clear: @escaping @Sendable () -> TimedAnswer,
        load: @escaping @Sendable (UInt32, Duration?) -> TimedAnswer, loadInTask: @escaping SuspendingOperations.Load
    ) {
        self.read = read
        self.write = write
        self.remove = remove
        self.clear = clear
        self.load = load
        self.loadInTask = loadInTask
    }

    /// The operations of a cache, which lives as long as they do.
    @inlinable
    init<Cache: SynchronousCacheStrategy>(_ cache: Cache, _ table: KeyTable<Cache.Key>, _ origin: any PayloadSource)
    where Cache.Value == Payload {
        let keys = LentKeys(table)
        read = { number in
            let key = keys.lend(number)
            let start = Nanoclock.now()
            let value = cache.value(forKey: key)
            let end = Nanoclock.now()
            keys.giveBack(key)
            return TimedAnswer(start, end, TimedAnswer.Answer(value))
        }
        write = { number, value in
            let key = keys.lend(number)
            let cost = value.cost
            let start = Nanoclock.now()
            cache.insert(value, forKey: key, cost: cost)
            let end = Nanoclock.now()
            keys.giveBack(key)
            return TimedAnswer(start, end, .done)
        }
        remove = { number in
            let key = keys.lend(number)
            let start = Nanoclock.now()
            cache.removeValue(forKey: key)
            let end = Nanoclock.now()
            keys.giveBack(key)
            return TimedAnswer(start, end, .done)
        }
        clear = {
            let start = Nanoclock.now()
            cache.removeAll()
            return TimedAnswer(start, Nanoclock.now(), .done)
        }
        load = { number, limit in
            let key = keys.lend(number)
            let answer: TimedAnswer
            let start = Nanoclock.now()
            do {
                let loaded = try cache.loadBlocking(key) {
                    try origin.fetchBlocking(UInt64(number), deadline: limit)
                }
                let end = Nanoclock.now()
                answer = TimedAnswer(start, end, TimedAnswer.Answer(loaded))
            } catch {
                answer = TimedAnswer(start, Nanoclock.now(), .failed(error))
            }
            keys.giveBack(key)
            return answer
        }
        loadInTask = SuspendingOperations.load(cache, keys, origin)
    }
}
