import CacheStrategies
import Foundation

extension ConformanceProbe {
    func checkLoadMissesThenHits() async throws {
        let cache = try open()
        let origin = makeOrigin()
        let first = try await load(1, from: origin, in: cache)
        expect(first.outcome == .loaded, "the first load says \(first.outcome), not loaded")
        expect(isValue(first.value, 1), "the first load gives another value than its fetch")
        let second = try await load(1, from: origin, in: cache)
        expect(isValue(second.value, 1), "the second load gives another value than the first")
        let expected: LoadOutcome = neverCaches ? .loaded : .hit
        expect(second.outcome == expected || isEventual, "the second load says \(second.outcome), not \(expected)")
        let fetches = origin.fetchCount(forKey: 1)
        expect(fetches == (neverCaches ? 2 : 1) || isEventual, "2 loads, one after the other, made \(fetches) fetches")
        if !neverCaches {
            await expectFound(1, at: 1, in: cache, "after it was loaded")
            await insert(2, at: 2, into: cache)
            await expectFound(2, at: 2, in: cache, "after its insert")
            let inserted = try await load(2, from: origin, in: cache)
            expect(inserted.outcome == .hit, "a load after an insert says \(inserted.outcome), not hit")
        }
        await cache.close()
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
            let again = try await load(1, from: origin, in: cache)
            expect(
                again.outcome == .loaded && isValue(again.value, 1), "the load after a failed one says \(again.outcome)"
            )
        }
        let other = try await load(2, from: origin, in: cache)
        expect(isValue(other.value, 2), "another key's load is disturbed by a failed one")
        await cache.close()
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
        await cache.close()
    }

    func checkBlockingLoadBehavesAsLoad() async throws {
        let opened = try open()
        if let cache = opened as? any SynchronousCacheStrategy<Key, Value> {
            try checkBlockingLoad(of: cache, from: makeOrigin())
        }
        await opened.close()
    }

    /// Not async, so that the synchronous methods are the ones that are called.
    private func checkBlockingLoad(of cache: any SynchronousCacheStrategy<Key, Value>, from origin: ScriptedOrigin)
        throws
    {
        func load(_ number: Int) throws -> Loaded<Value> {
            try cache.loadBlocking(key(number)) { try origin.fetchBlocking(number) }
        }
        let first = try load(1)
        expect(first.outcome == .loaded && isValue(first.value, 1), "the first blocking load says \(first.outcome)")
        let second = try load(1)
        let expected: LoadOutcome = neverCaches ? .loaded : .hit
        expect(
            second.outcome == expected && isValue(second.value, 1), "the second blocking load says \(second.outcome)")
        origin.script([.refused, .bytes(kit.undecodable ?? Data())], forKey: 2)
        expect(throwsRefused { try load(2) }, "the error of a blocking load's fetch does not reach its caller")
        expect(cache.value(forKey: key(2)) == nil, "key 2 is found although its blocking load failed")
        guard kit.undecodable != nil, !promises.cachesErrors else { return }
        expect((try? load(2)) == nil, "a blocking load of bytes that don't decode gives a value")
        expect(cache.value(forKey: key(2)) == nil, "key 2 is found although its bytes don't decode")
        expect(isValue(try load(2).value, 2), "the blocking load after failed ones gives another value")
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
