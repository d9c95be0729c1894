import Testing
import TrialModel

@testable import Traces

/// The misses of a replay, written as a trace.
@Suite(.timeLimit(.minutes(5))) struct MissStreamTests {
    let folder: TraceFolder

    init() throws { folder = try TraceFolder() }

    /// A request of a trace with times, text keys, sizes and removals.
    private struct Request: Equatable {
        var time, size: Int
        var key, operation: String

        var line: String { "\(time),\"\(key)\",\(size),\(operation)\n" }
    }

    private static let requests: [Request] = {
        var random = RandomSource(seed: 7, stream: 1)
        return (0..<4_000).map { index in
            let key = random.next(below: random.next(below: 200) + 1)
            return Request(
                time: index, size: Int(key % 50) + 1, key: "k,\(key)",
                operation: random.next(below: 20) == 0 ? "remove" : "read")
        }
    }()

    /// The misses and removals of an LRU cache of a number of entries, by an independent model.
    private static func misses(_ requests: [Request], entries: Int) -> [Request] {
        var order: [String] = []
        return requests.filter { request in
            let place = order.firstIndex(of: request.key)
            if let place { order.remove(at: place) }
            if request.operation == "remove" { return true }
            order.append(request.key)
            if order.count > entries { order.removeFirst() }
            return place == nil
        }
    }

    private func written(_ path: String) throws -> [Request] {
        let trace = try NumberedTrace(path: path)
        return (0..<trace.count).map { index in
            let request = trace.requests.request(index, key: 0)
            let key = trace.keyTexts?.withText(of: Int(trace.keys[Int(trace.ids[index])])) {
                String(decoding: $0, as: UTF8.self)
            }
            return Request(
                time: Int((request.timeNanoseconds ?? 0) / 1_000_000_000), size: Int(request.size), key: key ?? "",
                operation: "\(request.operation)")
        }
    }

    private func trace() throws -> String {
        try folder.write("time,key,size,operation\n" + Self.requests.map(\.line).joined(), to: "all.csv")
    }

    @Test(arguments: ["misses.csv", "misses.csv.zst"])
    func `the stream has each miss and each removal, with all columns`(name: String) throws {
        let path = folder.path(name)
        let outcome = try TraceReplay(policies: [.lru], capacities: [.entries(40)]).run(path: trace(), missesTo: path)
        let expected = Self.misses(Self.requests, entries: 40)
        #expect(try written(path) == expected)
        let misses = expected.count { $0.operation == "read" }
        #expect(Int(outcome.results[0].counts.misses) == misses)
        #expect(outcome.notes == ["misses: \(misses) requests and \(expected.count - misses) removals are in \(path)"])
        #expect(try TraceReader(path: path).window.compression == (name.hasSuffix(".zst") ? .zstd : .none))
    }

    @Test func `a share of the keys needs a second pass, and gives the same stream`() throws {
        let keys = Set(Self.requests.map(\.key)).count
        let share = ReplayCapacity.share(40 / Double(keys))
        _ = try TraceReplay(policies: [.lru], capacities: [share]).run(
            path: trace(), missesTo: folder.path("a.csv"))
        #expect(try written(folder.path("a.csv")) == Self.misses(Self.requests, entries: 40))
    }

    @Test func `the misses of a warm-up are not in the stream`() throws {
        let path = folder.path("late.csv")
        _ = try TraceReplay(policies: [.lru], capacities: [.entries(40)], warmUp: .nanoseconds(1_500_000_000_000))
            .run(path: trace(), missesTo: path)
        #expect(try written(path) == Self.misses(Self.requests, entries: 40).filter { $0.time >= 1_500 })
    }

    @Test func `keys that are nearly all numbers are written as they are`() throws {
        let path = try folder.write("key\n1\n2\n01\n1\n", to: "n.csv")
        _ = try TraceReplay(policies: [.lru], capacities: [.entries(9)]).run(path: path, missesTo: folder.path("m.csv"))
        #expect(try folder.bytes(of: "m.csv") == Array("key\n1\n2\n01\n".utf8))
    }

    @Test func `a replay that fails leaves no file`() throws {
        let path = try folder.write("1\n2\nx\n", to: "bad.lirs")
        #expect(throws: TraceError.self) {
            try TraceReplay(policies: [.lru], capacities: [.entries(9)]).run(
                path: path, missesTo: folder.path("m.csv"))
        }
        #expect(throws: (any Error).self) { try folder.bytes(of: "m.csv") }
    }
}
