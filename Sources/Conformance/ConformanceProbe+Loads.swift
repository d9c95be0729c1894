import CacheStrategies
import Foundation

extension ConformanceProbe {
    func checkLoadMissesThenHits() async throws {
        let cache = try open()
        let origin = makeOrigin()
        let first = try await load(1, from: origin, in: cache)
        expect(first.outcome == .loaded, "the first load reports \(first.outcome), not loaded")
        expect(isValue(first.value, 1), "the first load gives another value than its fetch")
        let second = try await load(1, from: origin, in: cache)
        expect(isValue(second.value, 1), "the second load gives another value than the first")
        let expected: LoadOutcome = neverCaches ? .loaded : .hit
        expect(second.outcome == expected || isEventual, "the second load reports \(second.outcome), not \(expected)")
        let fetches = origin.fetchCount(forKey: 1)
        expect(
            fetches == (neverCaches ? 2 : 1) || isEventual,
            "2 loads, one after the other, made \(fetches) fetches, not 1")
        if !neverCaches {
            await expectFound(1, at: 1, in: cache, "after it was loaded")
            await insert(2, at: 2, into: cache)
            await expectFound(2, at: 2, in: cache, "after its insert")
            let inserted = try await load(2, from: origin, in: cache)
            expect(inserted.outcome == .hit, "a load after an insert reports \(inserted.outcome), not hit")
        }
        await close(cache)
    }

    func checkLoadErrorReachesCaller() async throws {
        let cache = try open()
        let origin = makeOrigin()
        origin.script([.refused], forKey: 1)
        await expectRefused("the load") { try await load(1, from: origin, in: cache) }
        await expectMissing(1, in: cache, "although its load failed")
        if promises.cachesErrors {
            await expectRefused("a load right after, from memory,") { try await load(1, from: origin, in: cache) }
            expect(
                origin.fetchCount(forKey: 1) == 1, "a cached error was fetched \(origin.fetchCount(forKey: 1)) times")
        } else {
            expect(try await load(1, from: origin, in: cache), .loaded, 1, "the load after a failed one")
        }
        let other = try await load(2, from: origin, in: cache)
        expect(isValue(other.value, 2), "after a failed load, the load of another key gives a wrong value")
        await close(cache)
    }

    func checkUndecodableIsRefused() async throws {
        guard let undecodable = kit.undecodable else { return }
        let cache = try open()
        let origin = makeOrigin()
        origin.script([.bytes(undecodable)], forKey: 1)
        do {
            _ = try await load(1, from: origin, in: cache)
            fail("a load of bytes that don't decode gives a value")
        } catch is ScriptedOrigin.Refused {
            fail("a load of bytes that don't decode fails as if the fetch had")
        } catch {}
        await expectMissing(1, in: cache, "although its bytes don't decode")
        if !promises.cachesErrors {
            let again = try await load(1, from: origin, in: cache)
            expect(isValue(again.value, 1), "the load after bytes that don't decode gives another value")
        }
        await close(cache)
    }

    func checkBlockingLoadBehavesAsLoad() async throws {
        let opened = try open()
        if let cache = opened as? any SynchronousCacheStrategy<Key, Value> {
            try checkBlockingLoad(of: cache, from: makeOrigin())
        }
        await close(opened)
    }

    /// Not async, so that the synchronous overloads are called.
    private func checkBlockingLoad(of cache: any SynchronousCacheStrategy<Key, Value>, from origin: ScriptedOrigin)
        throws
    {
        func load(_ number: Int) throws -> Loaded<Value> {
            try cache.loadBlocking(key(number)) { try origin.fetchBlocking(number) }
        }
        let first = try load(1)
        expect(first, .loaded, 1, "the first blocking load")
        let second = try load(1)
        expect(second, neverCaches ? .loaded : .hit, 1, "the second blocking load")
        origin.script([.refused, .bytes(kit.undecodable ?? Data())], forKey: 2)
        expect(throwsRefused { try load(2) }, "the error of a blocking load's fetch does not reach its caller")
        expect(cache.value(forKey: key(2)) == nil, "key 2 is found although its blocking load failed")
        guard kit.undecodable != nil, !promises.cachesErrors else { return }
        expect((try? load(2)) == nil, "a blocking load of bytes that don't decode gives a value")
        expect(cache.value(forKey: key(2)) == nil, "key 2 is found although its bytes don't decode")
        expect(isValue(try load(2).value, 2), "the blocking load after failed ones gives another value")
    }

    /// Records a failure unless a load has the expected outcome and the value with the expected number.
    private func expect(_ loaded: Loaded<Value>, _ outcome: LoadOutcome, _ number: Int, _ what: String) {
        expect(loaded.outcome == outcome, "\(what) reports \(loaded.outcome), not \(outcome)")
        expect(isValue(loaded.value, number), "\(what) gives another value than was fetched")
    }

    private func throwsRefused(_ body: () throws -> Loaded<Value>) -> Bool {
        do {
            _ = try body()
            return false
        } catch {
            return error is ScriptedOrigin.Refused
        }
    }

    private func expectRefused(_ what: String, _ body: () async throws -> Loaded<Value>) async {
        do {
            let loaded = try await body()
            fail("\(what) gives a value (\(loaded.outcome)) where the fetch fails")
        } catch is ScriptedOrigin.Refused {
        } catch {
            fail("\(what) fails with \(error), not with the fetch's own error")
        }
    }
}
