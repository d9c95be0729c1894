import EvictionPolicies
import Testing
import TrialModel

@testable import Traces

/// Entries that expire, in a replay.
@Suite(.timeLimit(.minutes(5))) struct LifetimeReplayTests {
    let folder: TraceFolder

    init() throws { folder = try TraceFolder() }

    private struct Request {
        var time: Int
        var key: Int
        var operation: String
        var lifetime: Int
    }

    /// A random trace: a third of the values live for ever, the others for up to 40 s; some requests write or remove.
    private static let requests: [Request] = {
        var random = RandomSource(seed: 9, stream: 4)
        return (0..<4_000).map { index in
            let kind = random.next(below: 10)
            return Request(
                time: index / 3, key: Int(random.next(below: random.next(below: 120) + 1)),
                operation: kind == 0 ? "write" : kind == 1 ? "remove" : "read",
                lifetime: random.next(below: 3) == 0 ? 0 : Int(random.next(below: 40)) + 1)
        }
    }()

    private func trace(header: String = "time,key,operation,ttl") throws -> String {
        let lines = Self.requests.map { "\($0.time),\($0.key),\($0.operation),\($0.lifetime)\n" }
        return try folder.write(header + "\n" + lines.joined(), to: "ttl.csv")
    }

    /// A list of entries and their deadlines, the next victim first. A lookup of LRU moves its entry to the end.
    private static func model(entries: Int, moves: Bool) -> (hits: Int, expirations: Int) {
        var list: [(key: Int, deadline: Int)] = []
        var (hits, expirations) = (0, 0)
        for request in requests {
            let place = list.firstIndex { $0.key == request.key }
            let deadline = request.lifetime == 0 ? Int.max : request.time + request.lifetime
            if request.operation == "remove" {
                if let place { list.remove(at: place) }
            } else if let place, list[place].deadline > request.time {
                hits += 1
                if request.operation == "write" { list[place].deadline = deadline }
                if moves { list.append(list.remove(at: place)) }
            } else {
                if let place {
                    list.remove(at: place)
                    expirations += 1
                }
                if list.count == entries { list.removeFirst() }
                list.append((request.key, deadline))
            }
        }
        return (hits, expirations)
    }

    @Test(arguments: [1, 8, 30, 500]) func `expired entries are misses, as in a model`(entries: Int) throws {
        let results = try TraceReplay(policies: [.lru, .fifo], capacities: [.entries(entries)]).run(path: trace())
            .results
        for (result, moves) in zip(results, [true, false]) {
            let expected = Self.model(entries: entries, moves: moves)
            #expect(Int(result.counts.hits) == expected.hits, "\(result.policy.name)")
            #expect(result.counts.expirations == UInt64(expected.expirations), "\(result.policy.name)")
        }
    }

    @Test func `with room for all keys, every policy has the same hits and expirations`() throws {
        let policies = ReplayPolicy.all.filter { $0.clairvoyant == nil && $0 != .none }
        let results = try TraceReplay(policies: policies, capacities: [.entries(500)]).run(path: trace()).results
        let expected = Self.model(entries: 500, moves: true)
        for result in results {
            #expect(Int(result.counts.hits) == expected.hits, "\(result.policy.name)")
            #expect(result.counts.expirations == UInt64(expected.expirations), "\(result.policy.name)")
        }
    }

    @Test func `several sizes in one pass are not those of a trace without lifetimes`() throws {
        let capacities = [1, 8, 30, 500].map { ReplayCapacity.entries($0) }
        let results = try TraceReplay(policies: [.lru], capacities: capacities).run(path: trace()).results
        for result in results {
            let entries = try #require(result.capacity.entries)
            #expect(Int(result.counts.hits) == Self.model(entries: entries, moves: true).hits)
        }
    }

    @Test func `lifetimes that are ignored change nothing, and are said to be ignored`() throws {
        let path = try trace()
        let ignored = try TraceReplay(policies: [.lru, .optimal], capacities: [.entries(30)], keepsLifetimes: false)
            .run(path: path)
        let unknown = try folder.write(
            Self.requests.map { "\($0.key),\($0.operation)\n" }.reduce("key,operation\n", +), to: "plain.csv")
        let plain = try TraceReplay(policies: [.lru, .optimal], capacities: [.entries(30)]).run(path: unknown)
        #expect(ignored.results.map(\.counts.hits) == plain.results.map(\.counts.hits))
        #expect(ignored.results.allSatisfy { $0.counts.expirations == nil })
        #expect(ignored.summary.readAs == "read as csv: key, operation; ignored: time, ttl")
        let respected = try TraceReplay(policies: [.lru], capacities: [.entries(30)]).run(path: path)
        #expect(respected.summary.readAs == "read as csv: key, time, operation, lifetime")
    }

    @Test func `without times no lifetime counts`() throws {
        let path = try folder.write("key,ttl\n" + "1,1\n2,1\n1,1\n2,1\n", to: "untimed.csv")
        let outcome = try TraceReplay(policies: [.lru], capacities: [.entries(30)]).run(path: path)
        #expect(outcome.results[0].counts.hits == 2 && outcome.results[0].counts.expirations == nil)
        #expect(outcome.summary.readAs == "read as csv: key; ignored: ttl")
    }

    @Test func `a bound that knows the future is left out where entries expire`() throws {
        let outcome = try TraceReplay(policies: [.lru, .optimal], capacities: [.entries(30)]).run(path: trace())
        #expect(outcome.results.map(\.policy) == [.lru])
        #expect(outcome.notes.contains { $0.hasPrefix("optimal: not known for entries that expire") })
    }

    @Test func `a sample and a warm-up keep the lifetimes of their requests`() throws {
        let expected = Self.model(entries: 500, moves: true)
        let replay = TraceReplay(policies: [.lru], capacities: [.entries(500)], warmUp: .requests(1_000))
        let warmed = try replay.run(path: trace()).results[0].counts
        #expect(warmed.hits < expected.hits && warmed.expirations ?? 0 < expected.expirations)
        let sampled = try TraceReplay(policies: [.lru], capacities: [.entries(500)], sampleRate: 0.5).run(path: trace())
        let counts = sampled.results[0].counts
        #expect(counts.expirations ?? 0 > 0 && counts.hits < expected.hits)
    }
}
