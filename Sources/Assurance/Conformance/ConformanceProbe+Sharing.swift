import CacheStrategies
import Locks

extension ConformanceProbe {
    /// Callers ask for one cold key, and the origin answers none of them before all have called: eight tasks,
    /// more tasks than a byte counts and, where the strategy is synchronous, threads, and threads beside tasks: joining
    /// the load of a thread, and that of a task.
    ///
    /// A caller that comes too late to join finds the value, so there is one fetch in either case. Where a cache keeps
    /// nothing, or shows an insert later, such a caller fetches again, but never while a fetch is in flight. Several
    /// rounds, because a machine may be too busy for all callers to miss together.
    func checkLoadsAreShared() async throws {
        let cache = try open()
        let origin = makeOrigin()
        var key = 0
        for (callers, driver) in [
            (0..<8, CrowdDriver.tasks), (0..<8, .tasks), (0..<300, .tasks), (0..<8, .both), (1..<9, .both),
            (0..<40, .threads),
        ]
        where drivers.contains(driver) {
            key += 1
            try await checkOneFetch(of: key, callers, driver, from: origin, in: cache)
        }
        await expectNoLoadInFlight(cache, "after all callers have their value")
        await close(cache)
    }

    private func checkOneFetch(
        of number: Int, _ callers: Range<Int>, _ driver: CrowdDriver, from origin: ScriptedOrigin, in cache: Strategy
    ) async throws {
        let before = origin.arrivals.count
        origin.hold(number)
        let (called, ended) = (Arrivals(), Arrivals())
        let outcomes = Locked([LoadOutcome]())
        await withPatience(origin, ended) {
            for caller in callers {
                Task.detached { [self] in
                    called.arrive()
                    do {
                        let loaded = try await load(number, from: origin, in: cache, onThread: driver.isThread(caller))
                        expect(isValue(loaded.value, number), "a caller got another value than was fetched")
                        outcomes.withLock { $0.append(loaded.outcome) }
                    } catch {
                        fail("a caller got \(error), and its fetch did not fail")
                    }
                    ended.arrive()
                }
                if driver == .both, caller == callers.first { await origin.arrivals.wait(for: before + 1) }
            }
            await called.wait(for: callers.count)
            await origin.arrivals.wait(for: before + (promises.coalescesLoads ? 1 : callers.count))
            await letOthersJoin(callers.count)
            origin.release(number)
            await ended.wait(for: callers.count)
        }
        let seen = outcomes.withLock { $0 }
        guard seen.count == callers.count else {
            return fail("\(seen.count) of \(callers.count) callers got a value")
        }
        let fetches = origin.fetchCount(forKey: number)
        let finds = !neverCaches && !isEventual
        expectShared(seen, fetches: fetches, together: finds ? fetches : origin.mostInFlight(forKey: number))
    }

    /// Gives callers the time to join a load, also those that the cache or the check puts on threads. A caller that
    /// comes later fetches or finds the value.
    private func letOthersJoin(_ count: Int) async {
        await letOthersRun()
        if promises.coalescesLoads { try? await Task.sleep(for: .milliseconds(4 + count / 5)) }
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

    /// While one key's fetch is held back, many other keys are loaded: those that share its stripe or shard as well.
    func checkLoadsDoNotBlockOthers() async throws {
        for driver in drivers where driver != .both {
            let cache = try open(folder: "others-\(driver.rawValue)")
            let origin = makeOrigin()
            let onThread = driver == .threads
            origin.hold(0)
            try await withPatience(origin) {
                async let held = load(0, from: origin, in: cache, onThread: onThread)
                await origin.arrivals.wait(for: 1)
                for number in 1...64 {
                    let other = try await load(number, from: origin, in: cache, onThread: onThread)
                    expect(
                        isValue(other.value, number), "another key's load gives a wrong value while one is in flight")
                }
                if kit.available.isSuperset(of: [.lookUp, .insert]) {
                    await insert(65, at: 65, into: cache)
                    if !neverCaches { await expectFound(65, at: 65, in: cache, "while another key is loading") }
                    await remove(65, from: cache)
                }
                origin.release(0)
                let loaded = try await held
                expect(isValue(loaded.value, 0), "a load gives a wrong value after others overtook it")
            }
            await close(cache)
        }
    }

    /// Writes, removals and clears overtake a load whose fetch is held back, and then succeeds or fails. Then the key has
    /// the value of the change, or that of the load where newer writes may lose, and nothing else; and every caller has
    /// an answer.
    func checkOvertakenLoadsSettle() async throws {
        for driver in drivers {
            for change in [OwnChange.insert, .remove, .removeAll, .insertAndRemove]
            where kit.available.isSuperset(of: change.needed) {
                for fails in [false, true] {
                    try await overtake(change, driver, fails: fails)
                    if !failures.isEmpty { return }
                }
            }
        }
    }

    private func overtake(_ change: OwnChange, _ driver: CrowdDriver, fails: Bool) async throws {
        let cache = try open(folder: "overtaken-\(driver.rawValue)-\(change)-\(fails)")
        let origin = makeOrigin()
        if fails { origin.script(Array(repeating: .refused, count: 16), forKey: 7) }
        origin.hold(7)
        let ended = Arrivals()
        var fetchesBefore = 0
        await withPatience(origin, ended) {
            for caller in 0..<3 {
                Task.detached { [self] in
                    let loaded = try? await load(7, from: origin, in: cache, onThread: driver.isThread(caller))
                    // A caller that comes after the change finds what was written.
                    let isRight =
                        isValue(loaded?.value, OwnChange.written)
                        || (fails ? loaded == nil : isValue(loaded?.value, 7))
                    expect(
                        isRight,
                        "a load \(loaded == nil ? "failed" : "gave another value") after a caller "
                            + "\(change.rawValue) during it"
                    )
                    ended.arrive()
                }
            }
            await origin.arrivals.wait(for: promises.coalescesLoads ? 1 : 3)
            await letOthersJoin(3)
            fetchesBefore = origin.fetchCount(forKey: 7)
            await self.change(change, in: cache)
            origin.release(7)
            await ended.wait(for: 3)
        }
        // A fetch that began after the change may insert its value.
        let mayBeLoad = !fails && (!promises.keepsNewerWrites || origin.fetchCount(forKey: 7) > fetchesBefore)
        let wrote = change == .insert
        var found: Value?
        let isRight = await holds(soon: isEventual) {
            found = await lookUp(7, in: cache)
            if isValue(found, OwnChange.written) { return wrote && !neverCaches }
            if isValue(found, 7) { return mayBeLoad && !neverCaches }
            return found == nil && (neverCaches || !wrote)
        }
        let seen = found == nil ? "nothing" : isValue(found, 7) ? "the load's value" : "another value"
        if !isRight {
            let load = fails ? "a load that failed" : "a load"
            fail("with \(driver.rawValue), a caller \(change.rawValue) during \(load), and then \(seen) is found")
        }
        origin.script([], forKey: 7)
        if kit.available.contains(.remove), !fails || !promises.cachesErrors {
            await remove(7, from: cache)
            if isEventual { await expectMissing(7, in: cache, "after its removal") }
            let again = try await load(7, from: origin, in: cache)
            expect(
                again.outcome == .loaded, "a load of a key removed after an overtaken load reports \(again.outcome)")
        }
        await expectNoLoadInFlight(cache, "after overtaken loads")
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
                guard kit.available.contains(.remove) else { continue }
                await remove(round, from: cache)
                if isEventual { await expectMissing(round, in: cache, "after its removal") }
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
