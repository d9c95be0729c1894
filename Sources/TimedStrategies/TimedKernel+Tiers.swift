public import CacheStrategies
public import Origins
public import Platform
public import TrialModel

// Kernels of caches that report tiers. They do not affect the kernels of other caches.

extension TimedKernel {
    /// The operations of a synchronous cache that reports tiers.
    @inlinable
    init<Cache: SynchronousTieredCacheStrategy>(
        blockingTiers cache: Cache, _ table: TrialKeys<Cache.Key>, _ source: any PayloadSource
    ) where Cache.Value == Payload {
        let plain = TimedKernel(blocking: cache, table, source)
        let keys = LentKeys(table)
        self.init(
            blocking: { kind, number, value, limit in
                guard kind == .read || kind == .load else {
                    // The inner kernel borrows its own key.
                    return plain.send(kind, number, value, limit)
                }
                let key = keys.lend(number)
                let start: UInt64
                let end: UInt64
                let answer: TimedAnswer.Answer
                if kind == .read {
                    start = Nanoclock.now()
                    let found = cache.tieredValue(forKey: key)
                    end = Nanoclock.now()
                    answer = TimedAnswer.Answer(found)
                } else {
                    start = Nanoclock.now()
                    do {
                        let load = try cache.tieredLoadBlocking(key) {
                            try source.fetchBlocking(UInt64(number), deadline: limit)
                        }
                        end = Nanoclock.now()
                        answer = TimedAnswer.Answer(load)
                    } catch {
                        end = Nanoclock.now()
                        answer = .failed(error)
                    }
                }
                keys.giveBack(key)
                return TimedAnswer(start, end, answer)
            },
            suspending: { kind, number, _ in
                precondition(kind == .load, "A synchronous cache suspends in loads alone.")
                return await Self.tieredLoad(number, cache, keys, source)
            })
    }

    /// The operations of a cache that suspends and reports tiers.
    @inlinable
    init<Cache: TieredCacheStrategy>(
        suspendingTiers cache: Cache, _ table: TrialKeys<Cache.Key>, _ source: any PayloadSource
    ) where Cache.Value == Payload {
        let plain = TimedKernel(suspending: cache, table, source)
        let keys = LentKeys(table)
        self.init(blocking: nil) { kind, number, value in
            if kind == .load { return await Self.tieredLoad(number, cache, keys, source) }
            guard kind == .read else { return await plain.suspending(kind, number, value) }
            let key = keys.lend(number)
            let start = Nanoclock.now()
            let found = await cache.tieredValue(forKey: key)
            let end = Nanoclock.now()
            keys.giveBack(key)
            return TimedAnswer(start, end, TimedAnswer.Answer(found))
        }
    }

    /// Sends an operation of a synchronous cache.
    @usableFromInline
    func send(_ kind: OperationKind, _ number: UInt32, _ value: Payload?, _ limit: Duration?) -> TimedAnswer {
        guard let blocking else { preconditionFailure("A cache that suspends has its clients as tasks.") }
        return blocking(kind, number, value, limit)
    }

    /// A load whose fetch suspends.
    @inlinable
    @concurrent
    static func tieredLoad<Cache: TieredCacheStrategy>(
        _ number: UInt32, _ cache: Cache, _ keys: LentKeys<Cache.Key>, _ source: any PayloadSource
    ) async -> TimedAnswer where Cache.Value == Payload {
        let key = keys.lend(number)
        let fetch: CacheStrategy.Fetch = { try await source.fetch(UInt64(number)) }
        let end: UInt64
        let answer: TimedAnswer.Answer
        let start = Nanoclock.now()
        do {
            let load = try await cache.tieredLoad(key, fetch: fetch)
            end = Nanoclock.now()
            answer = TimedAnswer.Answer(load)
        } catch {
            end = Nanoclock.now()
            answer = .failed(error)
        }
        keys.giveBack(key)
        return TimedAnswer(start, end, answer)
    }
}
