public import CacheStrategies
public import Origins
public import TrialModel

/// The operations of an open cache for one client: functions of a key's number, compiled for the cache's type.
///
/// Both readings of the clock are in these functions, and between them stands the strategy's call alone. So the loop that
/// calls them is compiled once for all strategies, and its indirect calls are not timed. Each client has functions of its
/// own, which share no object but the cache, the keys and the origin.
@usableFromInline
package struct TimedKernel: Sendable {
    /// Sends an operation on a key: its kind, the key's number, what a write inserts, and after how long the fetch of a load
    /// is given up. A caller of a burst sends a `load`.
    @usableFromInline
    package typealias Blocking = @Sendable (OperationKind, UInt32, Payload?, Duration?) -> TimedAnswer

    /// The same in a task. Concurrent: a function that keeps its caller's isolation looks up its executor after each call,
    /// 15 ns within the timed span (Swift 6.3).
    @usableFromInline
    package typealias Suspending = @Sendable @concurrent (OperationKind, UInt32, Payload?) async -> TimedAnswer

    /// All operations of a synchronous cache; `nil` of one that suspends.
    @usableFromInline package let blocking: Blocking?
    /// All operations of a cache that suspends; of a synchronous one loads alone, because fetching suspends.
    @usableFromInline package let suspending: Suspending

    /// The operations of a synchronous cache, which lives as long as they do.
    @inlinable
    package init<Cache: SynchronousCacheStrategy>(
        blocking cache: Cache, _ table: TrialKeys<Cache.Key>, _ source: any PayloadSource
    ) where Cache.Value == Payload {
        let keys = LentKeys(table)
        suspending = { kind, number, _ in
            precondition(kind == .load, "A synchronous cache suspends in loads alone.")
            return await Self.load(number, cache, keys, source)
        }
        blocking = { kind, number, value, limit in
            let key = keys.lend(number)
            let start: UInt64
            let end: UInt64
            let answer: TimedAnswer.Answer
            switch kind {
            case .read:
                start = Nanoclock.now()
                let value = cache.value(forKey: key)
                end = Nanoclock.now()
                answer = TimedAnswer.Answer(value)
            case .load:
                start = Nanoclock.now()
                do {
                    let loaded = try cache.loadBlocking(key) {
                        try source.fetchBlocking(UInt64(number), deadline: limit)
                    }
                    end = Nanoclock.now()
                    answer = TimedAnswer.Answer(loaded)
                } catch {
                    end = Nanoclock.now()
                    answer = .failed(error)
                }
            case .write:
                guard let value else { preconditionFailure("Every write carries a value.") }
                let cost = value.cost
                start = Nanoclock.now()
                cache.insert(value, forKey: key, cost: cost)
                end = Nanoclock.now()
                answer = .done
            case .remove:
                start = Nanoclock.now()
                cache.removeValue(forKey: key)
                end = Nanoclock.now()
                answer = .done
            case .clear:
                start = Nanoclock.now()
                cache.removeAll()
                end = Nanoclock.now()
                answer = .done
            case .burst, .prefetch: preconditionFailure(Self.isNoCall)
            }
            keys.giveBack(key)
            return TimedAnswer(start, end, answer)
        }
    }

    /// The operations of a cache that suspends, which lives as long as they do.
    @inlinable
    package init<Cache: CacheStrategy>(
        suspending cache: Cache, _ table: TrialKeys<Cache.Key>, _ source: any PayloadSource
    ) where Cache.Value == Payload {
        let keys = LentKeys(table)
        blocking = nil
        suspending = { kind, number, value in
            if kind == .load { return await Self.load(number, cache, keys, source) }
            let key = keys.lend(number)
            let start: UInt64
            let end: UInt64
            let answer: TimedAnswer.Answer
            switch kind {
            case .read:
                start = Nanoclock.now()
                let value = await cache.value(forKey: key)
                end = Nanoclock.now()
                answer = TimedAnswer.Answer(value)
            case .write:
                guard let value else { preconditionFailure("Every write carries a value.") }
                let cost = value.cost
                start = Nanoclock.now()
                await cache.insert(value, forKey: key, cost: cost)
                end = Nanoclock.now()
                answer = .done
            case .remove:
                start = Nanoclock.now()
                await cache.removeValue(forKey: key)
                end = Nanoclock.now()
                answer = .done
            case .clear:
                start = Nanoclock.now()
                await cache.removeAll()
                end = Nanoclock.now()
                answer = .done
            case .load, .burst, .prefetch: preconditionFailure(Self.isNoCall)
            }
            keys.giveBack(key)
            return TimedAnswer(start, end, answer)
        }
    }

    @usableFromInline static var isNoCall: String {
        "A burst has callers, and each of them loads; a prefetch has many keys."
    }

    /// A load whose fetch suspends.
    @inlinable
    @concurrent
    static func load<Cache: CacheStrategy>(
        _ number: UInt32, _ cache: Cache, _ keys: LentKeys<Cache.Key>, _ source: any PayloadSource
    ) async -> TimedAnswer where Cache.Value == Payload {
        let key = keys.lend(number)
        let fetch: CacheStrategy.Fetch = { try await source.fetch(UInt64(number)) }
        let end: UInt64
        let answer: TimedAnswer.Answer
        let start = Nanoclock.now()
        do {
            let loaded = try await cache.load(key, fetch: fetch)
            end = Nanoclock.now()
            answer = TimedAnswer.Answer(loaded)
        } catch {
            end = Nanoclock.now()
            answer = .failed(error)
        }
        keys.giveBack(key)
        return TimedAnswer(start, end, answer)
    }

    /// Operations that go through others.
    @usableFromInline
    init(blocking: Blocking?, suspending: @escaping Suspending) {
        self.blocking = blocking
        self.suspending = suspending
    }

    /// Operations that are none of a cache's type, but made up.
    package init(_ blocking: @escaping Blocking) {
        self.blocking = blocking
        suspending = { kind, number, value in blocking(kind, number, value, nil) }
    }
}
