import EvictionPolicies
import Testing
import TrialModel

@testable import Traces

/// Hits and requests by time, against independent models.
@Suite(.timeLimit(.minutes(5))) struct OverTimeTests {
    let folder: TraceFolder

    init() throws { folder = try TraceFolder() }

    private struct Request {
        var time, key: Int
    }

    /// Requests that come faster and slower, with pauses, for keys that change.
    private static let requests: [Request] = {
        var random = RandomSource(seed: 21, stream: 2)
        var time = 500
        return (0..<6_000).map { index in
            time += Int(random.next(below: 3)) + (index % 1_000 == 999 ? 700 : 0)
            return Request(time: time, key: index / 2_000 * 50 + Int(random.next(below: random.next(below: 100) + 1)))
        }
    }()

    private func trace(hasTimes: Bool = true) throws -> String {
        let lines = Self.requests.map { (hasTimes ? "\($0.time)," : "") + "\($0.key)\n" }.joined()
        return try folder.write((hasTimes ? "time," : "") + "key\n" + lines, to: "t\(hasTimes).csv")
    }

    /// Whether each request hits an LRU cache.
    private static func hits(entries: Int) -> [Bool] {
        var order: [Int] = []
        return requests.map { request in
            let place = order.firstIndex(of: request.key)
            if let place { order.remove(at: place) }
            order.append(request.key)
            if order.count > entries { order.removeFirst() }
            return place != nil
        }
    }

    @Test(arguments: [nil, WarmUp.requests(1_234)]) func `the hits of each interval are those of a model`(
        warmUp: WarmUp?
    ) throws {
        let replay = TraceReplay(
            policies: [.lru, .optimal], capacities: [.entries(10), .entries(30), .entries(60)], warmUp: warmUp,
            overTime: 300_000_000_000)
        let outcome = try replay.run(path: trace())
        let first = Self.requests[0].time
        for entries in [10, 30, 60] {
            var model: [Int: (requests: UInt64, hits: UInt64)] = [:]
            for (index, (request, isHit)) in zip(Self.requests, Self.hits(entries: entries)).enumerated() {
                guard index >= (warmUp == nil ? 0 : 1_234) else { continue }
                let own = model[(request.time - first) / 300] ?? (0, 0)
                model[(request.time - first) / 300] = (own.requests + 1, own.hits + (isHit ? 1 : 0))
            }
            let found = outcome.intervals.filter { $0.capacity == .entries(entries) }
            #expect(found.allSatisfy { $0.policy == .lru })
            #expect(found.map { Int($0.startNanoseconds / 300_000_000_000) } == model.keys.sorted())
            #expect(found.map(\.requests) == model.sorted { $0.key < $1.key }.map(\.value.requests))
            #expect(found.map(\.hits) == model.sorted { $0.key < $1.key }.map(\.value.hits))
        }
        let plain = try TraceReplay(policies: [.lru, .optimal], capacities: [.entries(10)], warmUp: warmUp)
            .run(path: trace()).results
        #expect(outcome.results.filter { $0.capacity == .entries(10) }.map(\.counts.hits) == plain.map(\.counts.hits))
    }

    @Test func `intervals without times, and too many of them, are refused`() throws {
        let replay = TraceReplay(policies: [.lru], capacities: [.entries(10)], overTime: 1_000_000_000)
        #expect(throws: TraceError.self) { try replay.run(path: trace(hasTimes: false)) }
        let sparse = try folder.write("time,key\n" + (0..<10_002).map { "\($0),1\n" }.joined(), to: "s.csv")
        let error = #expect(throws: TraceError.self) { try replay.run(path: sparse) }
        #expect("\(error.map { "\($0)" } ?? "")".contains("more than 10000 intervals of time; name a longer one"))
    }

    @Test(arguments: [true, false]) func `a description has requests, keys and early favourites of each interval`(
        hasTimes: Bool
    ) throws {
        let found = try TraceDescription(path: trace(hasTimes: hasTimes)).intervals
        #expect(found.count == 50)
        let (first, last) = (Self.requests[0].time, Self.requests[5_999].time)
        let parts = Self.requests.enumerated().map { index, request in
            min(49, hasTimes ? (request.time - first) * 50 / (last - first) : index * 50 / 6_000)
        }
        var counts: [Int: Int] = [:]
        for (part, request) in zip(parts, Self.requests) where part < 5 { counts[request.key, default: 0] += 1 }
        // Fewer than 200 keys: a hundredth is one of them.
        let favourite = counts.max { $0.value < $1.value }?.key
        var seen: Set<Int> = []
        for part in 0..<50 {
            let own = zip(parts, Self.requests).filter { $0.0 == part }.map(\.1.key)
            #expect(found[part].requests == own.count && found[part].keys == Set(own).count)
            #expect(found[part].newKeys == Set(own).subtracting(seen).count)
            seen.formUnion(own)
            let seconds = Double(last - first) / 50
            #expect(found[part].requestsPerSecond == (hasTimes ? Double(own.count) / seconds : nil))
            guard part >= 5, !own.isEmpty else { continue }
            #expect(found[part].shareOfEarlyKeys == Double(own.count { $0 == favourite }) / Double(own.count))
        }
    }
}
