public import CacheStrategies
public import Origins
public import Platform
public import TrialModel

/// The operations of an open cache for one client: functions of a key's number, compiled for the cache's type.
///
/// Both readings of the clock are in these functions, with only the strategy's call between them. The loop that calls
/// them is therefore compiled once for all strategies, and its indirect calls are not timed. Each client has its own
/// functions, which share only the cache, the keys and the origin.
@usableFromInline
package struct TimedKernel: Sendable {
    /// Sends an operation on a key. The arguments are the kind, the key's number, the value of a write, and the time
    /// after which the fetch of a load is cancelled. A caller of a burst sends a `load`.
    @usableFromInline
    package typealias Blocking = @Sendable (OperationKind, UInt32, Payload?, Duration?) -> TimedAnswer

    /// The same in a task. It is `@concurrent`, because a function that keeps its caller's isolation looks up its
    /// executor after each call, which takes 15 ns within the timed span (Swift 6.3).
    @usableFromInline
    package typealias Suspending = @Sendable @concurrent (OperationKind, UInt32, Payload?) async -> TimedAnswer

    /// All operations of a synchronous cache; `nil` for a cache that suspends.
    @usableFromInline package let blocking: Blocking?
    /// All operations of a cache that suspends; for a synchronous cache only loads, because fetching suspends.
    @usableFromInline package let suspending: Suspending

    /// Creates the operations of a synchronous cache, which they keep alive.
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
                let found = cache.tieredValue(forKey: key)
                end = Nanoclock.now()
                answer = TimedAnswer.Answer(found)
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

    /// Creates the operations of a cache that suspends, which they keep alive.
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
                let found = await cache.tieredValue(forKey: key)
                end = Nanoclock.now()
                answer = TimedAnswer.Answer(found)
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

    /// Creates operations that call other operations.
    init(blocking: Blocking?, suspending: @escaping Suspending) {
        self.blocking = blocking
        self.suspending = suspending
    }

    /// Creates artificial operations, which belong to no cache type.
    package init(_ blocking: @escaping Blocking) {
        self.blocking = blocking
        suspending = { kind, number, value in blocking(kind, number, value, nil) }
    }
}
