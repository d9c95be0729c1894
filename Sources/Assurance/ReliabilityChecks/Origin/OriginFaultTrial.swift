#if HTTP
    import CacheStrategies
    import Foundation
    import Locks
    import Origins
    import TrialModel
    import TimedStrategies
    import TrialSessions

    /// A trial of one strategy with one fault on one key.
    struct OriginFaultTrial<Strategy: CacheStrategy<String, Payload>>: Sendable {
        private let one: OriginFaultCheck.Case
        private let seed: UInt64

        /// The key that fails. A fault of the kind "wrong key" sends the payload of the next key.
        private static var faulty: UInt64 { 0 }
        private static var bystanders: [UInt64] { [2, 3, 4] }
        /// Long enough for every answer that is sent at all.
        private static var patienceNanoseconds: UInt64 { 20_000_000_000 }
        /// Short, for faults without an answer, so that the case ends soon.
        private static var shortPatienceNanoseconds: UInt64 { 250_000_000 }
        private static var retriesMax: Int { 40 }

        init(_ one: OriginFaultCheck.Case, seed: UInt64) {
            self.one = one
            self.seed = seed
        }

        /// The number of requests for the key that fail: one for each waiting caller, or one in total where callers
        /// share a request.
        private var faultyCount: UInt64 {
            Strategy.declaration.promises.coalescesLoads ? 1 : UInt64(one.waiters)
        }

        private var specification: OriginSpecification {
            OriginSpecification(kind: .server, delay: .fixed(2_000_000)).with {
                $0.faults = [
                    OriginFault(one.kind).with {
                        $0.keys = Self.faulty..<(Self.faulty + 1)
                        $0.attempts = .defaults.with { ($0.first, $0.count) = (one.isWarm ? 2 : 1, faultyCount) }
                        $0.time = 5_000_000
                    }
                ]
                $0.timeout = one.kind == .noAnswer ? Self.shortPatienceNanoseconds : Self.patienceNanoseconds
            }
        }

        /// Runs the case and returns the faults.
        func run(address: String, trial: String) async throws -> [String] {
            let origin = try await HTTPOrigin(
                address: address, trial: trial, scenarioSeed: seed,
                values: ValueSpecification(kind: .bytes, size: .fixed(256)), origin: specification,
                concurrency: one.waiters + Self.bystanders.count)
            let faults: [String]
            do {
                faults = try await ScratchFolder.with { try await run(CountedOrigin(origin), $0) }
            } catch {
                faults = ["\(error)"]
            }
            try await origin.shutdown()
            return faults
        }

        private func run(_ origin: CountedOrigin, _ folder: ScratchFolder) async throws -> [String] {
            let cache = try Strategy(
                configuration: StrategyConfiguration(
                    entryLimit: 100, timeToLive: .seconds(3_600), directory: folder.directory))
            var faults: [String] = []
            if one.isWarm {
                faults += await mustLoad(Self.faulty, cache, origin, "the load before the fault")
                faults += await mustLoad(Self.faulty, cache, origin, "the hit before the fault")
                await cache.removeValue(forKey: "\(Self.faulty)")
            }
            async let others = loadBystanders(cache, origin)
            let answers = await loadTogether(cache, origin)
            faults += await others
            faults += judge(answers, origin.count(Self.faulty))
            let log = try await origin.settledLog()
            faults += compare(log, origin)
            if let held = await cache.value(forKey: "\(Self.faulty)") {
                faults += Self.faults(of: held, Self.faulty, seed)
            }
            faults += await mustLoad(Self.faulty, cache, origin, "the load after the fault")
            let inFlight = await loadsInFlight(cache)
            if inFlight != 0 { faults.append("\(inFlight) loads are still in flight") }
            await cache.close()
            return faults
        }

        /// A load that must succeed. Where the timeout is short, it is retried, because a busy machine may be too
        /// slow.
        private func mustLoad(
            _ key: UInt64, _ cache: Strategy, _ origin: CountedOrigin, _ note: String
        ) async -> [String] {
            var attempt = 1
            while true {
                do {
                    let loaded = try await cache.load("\(key)") { try await origin.fetch(key) }
                    return Self.faults(of: loaded.value, key, seed)
                } catch OriginError.timedOut where one.kind == .noAnswer && attempt < Self.retriesMax {
                    attempt += 1
                } catch {
                    return ["\(note) of key \(key) failed: \(error)"]
                }
            }
        }

        private func loadBystanders(_ cache: Strategy, _ origin: CountedOrigin) async -> [String] {
            await withTaskGroup(of: [String].self) { group in
                for key in Self.bystanders {
                    group.addTask { await mustLoad(key, cache, origin, "a bystander's load") }
                }
                return await group.reduce(into: []) { $0 += $1 }
            }
        }

        /// The loads in flight once there are none, or when patience ends: a cache may forget a load after its callers
        /// have their answers.
        private func loadsInFlight(_ cache: Strategy) async -> Int {
            let deadline = ContinuousClock.now + .nanoseconds(Int64(clamping: Self.patienceNanoseconds))
            while true {
                let count = await cache.statistics().loadsInFlight ?? 0
                if count == 0 || ContinuousClock.now > deadline { return count }
                try? await Task.sleep(for: .milliseconds(2))
            }
        }

        private typealias Answer = Result<Payload, any Error>

        /// Loads the key from all callers at once and returns the answers that arrived in time.
        private func loadTogether(_ cache: Strategy, _ origin: CountedOrigin) async -> [Answer] {
            let answers = Locked<[Answer]>([])
            // Not a task group, which would wait for a caller that is never answered.
            for _ in 0..<one.waiters {
                Task {
                    let answer: Answer
                    do {
                        answer = .success(
                            try await cache.load("\(Self.faulty)") { try await origin.fetch(Self.faulty) }.value)
                    } catch {
                        answer = .failure(error)
                    }
                    answers.withLock { $0.append(answer) }
                }
            }
            let deadline = ContinuousClock.now + .nanoseconds(Int64(clamping: Self.patienceNanoseconds))
            while ContinuousClock.now < deadline {
                let found = answers.withLock { $0 }
                if found.count == one.waiters { return found }
                try? await Task.sleep(for: .milliseconds(2))
            }
            return answers.withLock { $0 }
        }

        private func judge(_ answers: [Answer], _ count: CountedOrigin.Count) -> [String] {
            var faults: [String] = []
            var failed = 0
            for answer in answers {
                switch answer {
                case .success(let payload): faults += Self.faults(of: payload, Self.faulty, seed)
                case .failure(let error):
                    failed += 1
                    if error is CancellationError { faults.append("a caller that did not cancel was cancelled") }
                    if !(error is OriginError || error is PayloadError || error is CancellationError) {
                        faults.append("a caller got \(error), which is not the origin's error")
                    }
                }
            }
            let lost = one.waiters - answers.count
            if lost > 0 { faults.append("\(lost) callers were never answered") }
            if count.failed > 0, failed == 0 {
                faults.append("\(count.failed) requests failed, but no caller got an error")
            }
            if count.failed == 0, failed > 0 { faults.append("\(failed) callers failed, but no request did") }
            if !Strategy.declaration.promises.coalescesLoads, failed != count.failed {
                faults.append("\(count.failed) requests failed, and \(failed) callers did")
            }
            return faults
        }

        /// Compares the server's log with what the callers saw.
        private func compare(_ log: OriginLog, _ origin: CountedOrigin) -> [String] {
            let seen = origin.total
            var faults: [String] = []
            if log.inFlight > 0 { faults.append("\(log.inFlight) requests never ended") }
            // A caller with a short timeout may time out before its request is sent.
            if one.kind == .noAnswer ? log.requests > seen.begun : log.requests != seen.begun {
                faults.append("callers sent \(seen.begun) requests, the server saw \(log.requests)")
            }
            // A caller that times out just when its answer is sent has failed, although the server has answered.
            if one.kind != .noAnswer, log.failed + log.abandoned != seen.failed {
                faults.append(
                    "\(seen.failed) requests failed for callers, \(log.failed + log.abandoned) for the server")
            }
            let attempts = origin.count(Self.faulty).begun - min(origin.count(Self.faulty).begun, one.isWarm ? 1 : 0)
            if one.kind != .noAnswer, log.faults != min(attempts, faultyCount) {
                faults.append("\(min(attempts, faultyCount)) requests should have met the fault, \(log.faults) did")
            }
            if Strategy.declaration.promises.coalescesLoads, one.kind != .noAnswer, log.maxConcurrentPerKey > 1 {
                faults.append(
                    "\(log.maxConcurrentPerKey) requests for one key were in flight at once, although loads are shared")
            }
            return faults
        }

        private static func faults(of payload: Payload, _ key: UInt64, _ seed: UInt64) -> [String] {
            guard payload.identity.key == key else {
                return ["key \(key) holds the value of key \(payload.identity.key)"]
            }
            return payload.isIntact(seed: seed) ? [] : ["key \(key) holds a damaged value"]
        }
    }
#endif
