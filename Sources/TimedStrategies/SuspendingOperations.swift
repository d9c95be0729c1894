public import CacheStrategies
public import Measurement
public import Origins
public import Payloads

/// The operations of an open cache that suspends, for one client; see ``BlockingOperations``.
///
/// All are concurrent: one that keeps its caller's isolation looks up its executor after each call, 15 ns within the
/// timed span (Swift 6.3).
@usableFromInline
package struct SuspendingOperations: Sendable {
    /// Looks a key up and fetches what is not there.
    @usableFromInline package typealias Load = @Sendable @concurrent (UInt32) async -> TimedAnswer

    /// Looks a key up.
    @usableFromInline package let read: @Sendable @concurrent (UInt32) async -> TimedAnswer
    /// Inserts a value.
    @usableFromInline package let write: @Sendable @concurrent (UInt32, Payload) async -> TimedAnswer
    /// Removes a key's entry.
    @usableFromInline package let remove: @Sendable @concurrent (UInt32) async -> TimedAnswer
    /// Removes all entries.
    @usableFromInline package let clear: @Sendable @concurrent () async -> TimedAnswer
    /// Looks a key up and fetches what is not there.
    @usableFromInline package let load: Load

    /// The operations of a cache, which lives as long as they do.
    @inlinable
    init<Cache: CacheStrategy>(_ cache: Cache, _ table: KeyTable<Cache.Key>, _ origin: any PayloadSource)
    where Cache.Value == Payload {
        let keys = LentKeys(table)
        read = { number in
            let key = keys.lend(number)
            let start = Nanoclock.now()
            let value = await cache.value(forKey: key)
            let end = Nanoclock.now()
            keys.giveBack(key)
            return TimedAnswer(start, end, TimedAnswer.Answer(value))
        }
        write = { number, value in
            let key = keys.lend(number)
            let cost = value.cost
            let start = Nanoclock.now()
            await cache.insert(value, forKey: key, cost: cost)
            let end = Nanoclock.now()
            keys.giveBack(key)
            return TimedAnswer(start, end, .done)
        }
        remove = { number in
            let key = keys.lend(number)
            let start = Nanoclock.now()
            await cache.removeValue(forKey: key)
            let end = Nanoclock.now()
            keys.giveBack(key)
            return TimedAnswer(start, end, .done)
        }
        clear = {
            let start = Nanoclock.now()
            await cache.removeAll()
            return TimedAnswer(start, Nanoclock.now(), .done)
        }
        load = Self.load(cache, keys, origin)
    }

    /// A timed load, whose fetch suspends.
    @inlinable
    static func load<Cache: CacheStrategy>(
        _ cache: Cache, _ keys: LentKeys<Cache.Key>, _ origin: any PayloadSource
    ) -> Load where Cache.Value == Payload {
        { number in
            let key = keys.lend(number)
            let fetch: CacheStrategy.Fetch = { try await origin.fetch(UInt64(number)) }
            let answer: TimedAnswer
            let start = Nanoclock.now()
            do {
                let loaded = try await cache.load(key, fetch: fetch)
                let end = Nanoclock.now()
                answer = TimedAnswer(start, end, TimedAnswer.Answer(loaded))
            } catch {
                answer = TimedAnswer(start, Nanoclock.now(), .failed(error))
            }
            keys.giveBack(key)
            return answer
        }
    }
}
