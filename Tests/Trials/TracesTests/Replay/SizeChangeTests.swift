import EvictionPolicies
import Testing
import TrialModel

@testable import Traces

/// Sizes that change: exact against a model that shares no code with the replay.
@Suite(.timeLimit(.minutes(5))) struct SizeChangeTests {
    let folder: TraceFolder

    init() throws { folder = try TraceFolder() }

    /// A cache in bytes as an array, the next victim first.
    private struct Model {
        let capacity: Int
        let isLRU: Bool
        var held: [(key: UInt64, weight: Int)] = []
        var known: [UInt64: Int] = [:]
        var hits = 0
        var requests = 0

        mutating func request(_ request: TraceRequest) {
            let place = held.firstIndex { $0.key == request.key }
            if request.operation == .remove {
                if let place { held.remove(at: place) }
                return
            }
            requests += 1
            let last = known[request.key]
            var size = Int(request.size)
            if request.operation == .read, size == 0 { size = last ?? 0 }
            known[request.key] = size
            var entry = (key: request.key, weight: max(1, size))
            if let place {
                hits += 1
                let replaces = request.operation == .write || last == 0
                if !replaces { entry = held[place] }
                if isLRU || entry.weight > capacity { held.remove(at: place) } else { held[place] = entry }
                guard entry.weight <= capacity else { return }
                if isLRU { held.append(entry) }
            } else {
                guard entry.weight <= capacity else { return }
                while used + entry.weight > capacity { held.removeFirst() }
                held.append(entry)
            }
            while used > capacity { held.removeFirst() }
        }

        var used: Int { held.reduce(0) { $0 + $1.weight } }
    }

    /// A random trace as memcached's: reads without a size before writes with one, and sizes that change.
    ///
    /// - Parameter unit: what sizes are multiples of.
    private func trace(_ seed: UInt64, unit: UInt64 = 1) throws -> String {
        var random = RandomSource(seed: seed, stream: 3)
        var text = "key,size,operation\n"
        for _ in 0..<4_000 {
            let key = random.next(below: random.next(below: 90) + 1)
            switch random.next(below: 20) {
            case 0: text += "\(key),0,delete\n"
            case 1..<7: text += "\(key),\(random.next(below: 400) * unit),set\n"
            case 7..<12: text += "\(key),\(key * 7 % 300 * unit),get\n"
            default: text += "\(key),0,get\n"
            }
        }
        return try folder.write(text, to: "changing-\(seed)-\(unit).csv")
    }

    /// Units of which sizes fit into 32 bits all, in part, and hardly.
    @Test(arguments: [1, 2, 3, 4, 5] as [UInt64], [1, 1 << 25, UInt64(UInt32.max)])
    func `LRU and FIFO with changing sizes have exactly the hits of the model`(seed: UInt64, unit: UInt64) throws {
        let path = try trace(seed, unit: unit)
        let requests = try TraceFolder.requests(path)
        for capacity in [50, 333, 2_000, 9_000].map({ $0 * Int(unit) }) {
            let results = try TraceReplay(policies: [.lru, .fifo], capacities: [.bytes(UInt64(capacity))])
                .run(path: path).results
            for (result, isLRU) in zip(results, [true, false]) {
                var model = Model(capacity: capacity, isLRU: isLRU)
                for request in requests { model.request(request) }
                #expect(Int(result.counts.hits) == model.hits, "\(result.policy.name) with \(capacity) bytes")
                #expect(Int(result.counts.requests) == model.requests)
            }
        }
    }

    @Test func `a cache of 50 bytes holds no object that has grown to 100`() throws {
        let path = try folder.write("key,size,operation\na,0,get\na,100,set\na,0,get\na,0,get\n", to: "grown.csv")
        let replay = TraceReplay(policies: ReplayPolicy.all.filter { $0.clairvoyant == nil }, capacities: [.bytes(50)])
        for result in try replay.run(path: path).results where !["none", "unbounded"].contains(result.policy.name) {
            #expect(result.counts.hits <= 1, "\(result.policy.name)")
        }
        var options = TraceReadingOptions()
        options.keepsFirstSizes = true
        #expect(
            try TraceReplay(policies: [.lru], capacities: [.bytes(50)]).run(path: path, options: options)
                .results[0].counts.hits == 3)
    }

    @Test func `the bytes of all keys are those that writes tell`() throws {
        let text = "key,size,operation\n" + (0..<50).map { "\($0),0,get\n\($0),\($0 + 100),set\n" }.joined()
        let path = try folder.write(text, to: "written.csv")
        let expected = (0..<50).reduce(0) { $0 + $1 + 100 }
        #expect(try TraceDescription(path: path).summary.uniqueBytes == UInt64(expected))
    }

    @Test func `every policy counts every request of a trace whose sizes change, and no bound is exceeded`() throws {
        let path = try trace(9)
        let count = try TraceFolder.requests(path).count { $0.operation != .remove }
        for keepsFirst in [false, true] {
            var options = TraceReadingOptions()
            options.keepsFirstSizes = keepsFirst
            let results = try TraceReplay(policies: ReplayPolicy.all, capacities: [.bytes(1_000), .entries(20)]).run(
                path: path, options: options
            ).results
            for result in results {
                let bound = result.policy == .unbounded ? "unbounded" : "pfoo-l"
                let most = try #require(
                    results.first { $0.policy.name == bound && $0.capacity == result.capacity }?.counts.hits)
                #expect(Int(result.counts.requests) == count && result.counts.hits <= most, "\(result.policy.name)")
            }
        }
    }

    @Test func `a bound counts the size that a cache may have, not the last one that a read told`() throws {
        let path = try folder.write("key,size\na,1\na,100\na,100\n", to: "told.csv")
        let policies = try ReplayPolicy.parse("lru,pfoo-l,pfoo-u")
        let results = try TraceReplay(policies: policies, capacities: [.bytes(10)]).run(path: path).results
        #expect(results.map(\.counts.hits) == [2, 2, 1])
    }

    @Test func `a read of Twitter's traces that found no value takes the last known size`() throws {
        let lines = ["0,a,10,1000,1,set,0", "1,a,10,0,1,get,0", "2,a,10,0,1,set,0", "3,a,10,0,1,gets,0"]
        let path = try folder.write(lines.joined(separator: "\n") + "\n", to: "t.twitter")
        #expect(try TraceFolder.requests(path).map(\.size) == [1_010, 0, 10, 0])
        let counts = try TraceReplay(policies: [.lru], capacities: [.bytes(2_000)]).run(path: path).results[0].counts
        #expect(counts.bytesRequested == 2_040 && counts.bytesHit == 1_030)
    }
}
