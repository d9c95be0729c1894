import CacheStrategies

extension ConformanceProbe {
    /// Eight callers ask for one cold key, and the origin answers none of them before all have called.
    ///
    /// A caller that comes too late to join finds the value, so there is one fetch in either case. Where a cache keeps
    /// nothing, or shows an insert later, such a caller fetches again, but never while a fetch is in flight. Four
    /// rounds, because a machine may be too busy for all callers to miss together.
    func checkLoadsAreShared() async throws {
        let cache = try open()
        let origin = makeOrigin()
        for number in 1...4 { try await checkOneFetch(of: number, from: origin, in: cache) }
        await expectNoLoadInFlight(cache, "after all callers have their value")
        await close(cache)
    }

    private func checkOneFetch(of number: Int, from origin: ScriptedOrigin, in cache: Strategy) async throws {
        let callers = 8
        let before = origin.arrivals.count
        origin.hold(number)
        try await withPatience(origin) {
            let called = Arrivals()
            let outcomes = try await withThrowingTaskGroup(of: LoadOutcome.self) { group in
                for _ in 0..<callers {
                    group.addTask {
                        called.arrive()
                        let loaded = try await self.load(number, from: origin, in: cache)
                        self.expect(
                            self.isValue(loaded.value, number), "a caller got another value than was fetched")
                        return loaded.outcome
                    }
                }
                await called.wait(for: callers)
                await origin.arrivals.wait(for: before + (promises.coalescesLoads ? 1 : callers))
                await letOthersRun()
                origin.release(number)
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let fetches = origin.fetchCount(forKey: number)
            let finds = !neverCaches && !isEventual
            expectShared(outcomes, fetches: fetches, together: finds ? fetches : origin.mostInFlight(forKey: number))
        }
    }

    /// - Parameters:
    ///   - fetches: All fetches of the key.
    ///   - together: The fetches of callers that missed together.
    private func expectShared(_ outcomes: [LoadOutcome], fetches: Int, together: Int) {
        let loaded = outcomes.count { $0 == .loaded }
        guard promises.coalescesLoads else {
            return expect(
                fetches == outcomes.count && loaded == fetches,
                "it declares no sharing, but \(outcomes.count) callers that missed together made \(fetches) fetches")
        }
        expect(together == 1, "\(outcomes.count) callers that missed together made \(together) fetches, not 1")
        expect(loaded == fetches, "\(loaded) callers report loaded for \(fetches) fetches")
    }

    func checkLoadsDoNotBlockOthers() async throws {
        let cache = try open()
        let origin = makeOrigin()
        origin.hold(1)
        try await withPatience(origin) {
            async let held = load(1, from: origin, in: cache)
            await origin.arrivals.wait(for: 1)
            let other = try await load(2, from: origin, in: cache)
            expect(isValue(other.value, 2), "another key's load gives a wrong value while one is in flight")
            await insert(3, at: 3, into: cache)
            if !neverCaches { await expectFound(3, at: 3, in: cache, "while another key is loading") }
            await remove(3, from: cache)
            origin.release(1)
            let loaded = try await held
            expect(isValue(loaded.value, 1), "a load gives a wrong value after others overtook it")
        }
        await close(cache)
    }

    /// Two callers wait for one key: the first one is cancelled. Then, for another key, the second one is.
    func checkCancellationIsIsolated() async throws {
        guard promises.cancellation == .isolated else { return }
        let cache = try open()
        let origin = makeOrigin()
        try await withPatience(origin) {
            try await cancelOne(ofCallersFor: 1, cancellingFirst: true, origin: origin, cache: cache)
            try await cancelOne(ofCallersFor: 2, cancellingFirst: false, origin: origin, cache: cache)
        }
        await expectNoLoadInFlight(cache, "after one of two callers was cancelled")
        await close(cache)
    }

    private func cancelOne(
        ofCallersFor number: Int, cancellingFirst: Bool, origin: ScriptedOrigin, cache: Strategy
    ) async throws {
        origin.hold(number)
        let arrived = origin.arrivals.count
        let first = Task { try await load(number, from: origin, in: cache) }
        await origin.arrivals.wait(for: arrived + 1)
        let secondCalled = Arrivals()
        let second = Task {
            secondCalled.arrive()
            return try await load(number, from: origin, in: cache)
        }
        await secondCalled.wait(for: 1)
        if !promises.coalescesLoads { await origin.arrivals.wait(for: arrived + 2) }
        await letOthersRun()
        let cancelled = cancellingFirst ? first : second
        let other = cancellingFirst ? second : first
        cancelled.cancel()
        await letOthersRun()
        origin.release(number)
        let place = cancellingFirst ? "first" : "second"
        switch await other.result {
        case .success(let loaded):
            expect(isValue(loaded.value, number), "the \(place) caller was cancelled, and the other got a wrong value")
        case .failure(let error):
            fail("the \(place) caller was cancelled, and the other got \(error) instead of its value")
        }
        if case .failure(let error) = await cancelled.result {
            expect(error is CancellationError, "the cancelled caller got \(error), not CancellationError")
        }
        let again = try await load(number, from: origin, in: cache)
        expect(isValue(again.value, number), "a load after a cancelled one gives a wrong value")
    }

    /// The table of loads in flight must drop loads that failed, and loads whose entry was removed since.
    func checkFailureLeavesNoLoadBehind() async throws {
        if promises.cachesErrors { return }
        let cache = try open()
        let origin = makeOrigin()
        try await withPatience(origin) {
            for round in 1...3 {
                origin.script([.refused], forKey: round)
                let refused = try? await load(round, from: origin, in: cache)
                guard premise(refused == nil, "a load whose fetch fails gives a value") else { return }
                let after = try await load(round, from: origin, in: cache)
                expect(after.outcome == .loaded, "the load after a failed one reports \(after.outcome), not loaded")
                await remove(round, from: cache)
                let removed = try await load(round, from: origin, in: cache)
                expect(removed.outcome == .loaded, "the load after a removal reports \(removed.outcome), not loaded")
                let fetches = origin.fetchCount(forKey: round)
                expect(
                    fetches == 3, "a failed load, one after it and one after a removal made \(fetches) fetches, not 3")
            }
        }
        await expectNoLoadInFlight(cache, "after failed loads have ended")
        await close(cache)
    }

    func expectNoLoadInFlight(_ cache: Strategy, _ moment: String) async {
        await expect(soon: true, "its statistics still count loads in flight \(moment)") {
            (await statistics(of: cache).loadsInFlight ?? 0) == 0
        }
    }
}
