import CacheStrategies
import Origins
import Platform
import Schedules
import TrialModel

extension Strategy {
    /// The same strategy with ``SharedLoads`` in front of it.
    ///
    /// It needs no further compiled code: trials use the strategy's own kernel and share loads by key number. Its
    /// types, which checks outside of trials open, are created on demand.
    package var sharingLoads: Strategy {
        with { changed in
            changed.declaration = declaration.sharingLoads
            changed.integer = integer?.sharingLoads
            changed.string = string?.sharingLoads
            changed.url = url?.sharingLoads
            changed.explorer = explored.map { StrategyExplorer(sharingLoadsOf: $0) }
        }
    }
}

extension Strategy {
    /// The name of the strategy whose loads are shared, or that a twin repeats, or its own.
    package var baseName: String {
        let name = StrategyRegistry.original(of: declaration.name) ?? declaration.name
        return StrategyRegistry.base(of: name) ?? name
    }
}

extension KeyedStrategy {
    /// The same type with shared loads.
    fileprivate var sharingLoads: KeyedStrategy {
        func type<Cache: CacheStrategy<Key, Payload>>(of _: Cache.Type) -> any CacheStrategy<Key, Payload>.Type {
            SharingLoads<Cache>.self
        }
        return KeyedStrategy(
            type: type(of: self.type), suspends: suspends, open: { [open] in try open($0, $1).sharingLoads() },
            prepare: prepare)
    }
}

extension OpenStrategy {
    /// The same cache with shared loads.
    fileprivate func sharingLoads() -> OpenStrategy {
        let loads = SharedLoads<UInt32, Payload>()
        let base = self
        return OpenStrategy(
            kernel: { source in TimedKernel(sharing: loads, of: base, source) },
            insert: { number, payload in await loads.write(number) { await base.insert(number, payload) } },
            removeAll: { await loads.removeAll { await base.removeAll() } },
            statistics: {
                var statistics = await base.statistics()
                statistics.loadsInFlight = loads.count
                return statistics
            },
            close: {
                await loads.waitUntilIdle()
                await base.close()
            }, respond: base.respond, tellsTiers: base.tellsTiers, ownPrefetch: nil)
    }
}

extension TimedKernel {
    /// The operations of a cache whose loads are shared.
    ///
    /// The cache's kernel performs and times lookups and loads that hit. All other operations are timed here: the span
    /// of a write contains two more readings of the clock, those of the cache's kernel.
    fileprivate init(sharing loads: SharedLoads<UInt32, Payload>, of cache: OpenStrategy, _ source: any PayloadSource) {
        let base = cache.kernel(source)
        let insert = cache.insert
        if let send = base.blocking {
            self.init(blocking: Self.blocking(send, loads, source)) { kind, number, value in
                precondition(kind == .load, "A synchronous cache suspends in loads alone.")
                return await Self.load(number, loads, insert, source) { send(.read, number, nil, nil) }
            }
        } else {
            let send = base.suspending
            self.init(blocking: nil) { kind, number, value in
                if kind == .load {
                    return await Self.load(number, loads, insert, source) { await send(.read, number, nil) }
                }
                if kind == .read { return await send(kind, number, value) }
                let start = Nanoclock.now()
                let answer =
                    kind == .clear
                    ? await loads.removeAll { await send(kind, number, value) }
                    : await loads.write(number) { await send(kind, number, value) }
                return TimedAnswer(start, Nanoclock.now(), answer.answer)
            }
        }
    }

    private static func blocking(
        _ send: @escaping Blocking, _ loads: SharedLoads<UInt32, Payload>, _ source: any PayloadSource
    ) -> Blocking {
        { kind, number, value, limit in
            switch kind {
            case .read: return send(kind, number, value, limit)
            case .load: return loadBlocking(number, loads, source, limit, send)
            case .clear, .write, .remove, .burst, .prefetch:
                let start = Nanoclock.now()
                let answer =
                    kind == .clear
                    ? loads.removeAll { send(kind, number, value, limit) }
                    : loads.write(number) { send(kind, number, value, limit) }
                return TimedAnswer(start, Nanoclock.now(), answer.answer)
            }
        }
    }

    private static func loadBlocking(
        _ number: UInt32, _ loads: SharedLoads<UInt32, Payload>, _ source: any PayloadSource, _ limit: Duration?,
        _ send: Blocking
    ) -> TimedAnswer {
        let mark = loads.mark
        var found = send(.read, number, nil, nil)
        if found.answer.outcome == .hit { return found }
        let start = found.span.start
        do {
            let loaded = try loads.loadMissedBlocking(number, since: mark, waitingAtMost: limit) {
                found = send(.read, number, nil, nil)
                return found.answer.value
            } insert: {
                _ = send(.write, number, $0, nil)
            } fetch: {
                try Payload(encoded: source.fetchBlocking(UInt64(number), deadline: limit))
            }
            return TimedAnswer(start, Nanoclock.now(), answer(loaded, found))
        } catch {
            return TimedAnswer(start, Nanoclock.now(), .failed(error))
        }
    }

    /// The answer of a load; a value found only by the second lookup has the tier of that lookup.
    private static func answer(_ loaded: Loaded<Payload>, _ found: TimedAnswer) -> TimedAnswer.Answer {
        loaded.outcome == .hit ? found.answer : TimedAnswer.Answer(loaded)
    }

    @concurrent
    private static func load(
        _ number: UInt32, _ loads: SharedLoads<UInt32, Payload>,
        _ insert: @escaping @Sendable @concurrent (UInt32, Payload) async -> Void, _ source: any PayloadSource,
        _ look: @Sendable @concurrent () async -> TimedAnswer
    ) async -> TimedAnswer {
        let mark = loads.mark
        var found = await look()
        if found.answer.outcome == .hit { return found }
        let start = found.span.start
        do {
            let loaded = try await loads.loadMissed(number, since: mark) {
                found = await look()
                return found.answer.value
            } insert: {
                await insert(number, $0)
            } fetch: {
                try Payload(encoded: await source.fetch(UInt64(number)))
            }
            return TimedAnswer(start, Nanoclock.now(), answer(loaded, found))
        } catch {
            return TimedAnswer(start, Nanoclock.now(), .failed(error))
        }
    }
}
