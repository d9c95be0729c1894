import Conformance
import EvictionPolicies
import Foundation
import TestTiers
import Testing
import Traces
import TrialModel

@testable import CacheStrategies
@testable import EvictionPoliciesTests

@Suite(.timeLimit(.minutes(1)))
struct RecordingStrategyTests {
    /// A unique path in the folder for temporary files.
    private func path() -> String {
        FileManager.default.temporaryDirectory.appendingPathComponent("recording-\(UUID().uuidString).csv").path
    }

    /// Reads the requests of a file, and removes it.
    private func requests(of path: String, keys: TraceCSVKeys = .automatic) throws -> [TraceRequest] {
        defer { try? FileManager.default.removeItem(atPath: path) }
        var options = TraceReadingOptions()
        options.csvKeys = keys
        let reader = try TraceReader(path: path, options: options)
        #expect(reader.format == .csv)
        var requests: [TraceRequest] = []
        var block = TraceBlock()
        while try reader.read(into: &block) { for index in 0..<block.count { requests.append(block[index]) } }
        return requests
    }

    // The contract accused it of a deadlock that the wrapped cache declares.
    @Test func `an observed cache releases values inside of a lock where the wrapped one does`() {
        func releasesInside(_ type: any CacheStrategy.Type) -> Bool { type is any ReleasesInsideLock.Type }
        #expect(releasesInside(Metered<BarrierNSCache<String, Data>>.self))
        #expect(!releasesInside(Metered<LRUCache<String, Data>>.self))
    }

    @Test func `a share of the keys is recorded with all their requests`() throws {
        let path = path()
        var options = RecordingOptions(keys: .plain)
        options.keyShare = 0.1
        let recorder = try TraceRecorder<Int>(path: path, options: options)
        for _ in 0..<3 { for key in 0..<10_000 { recorder.noteLookup(key, cost: 1) } }
        recorder.close()
        var counts: [UInt64: Int] = [:]
        for request in try requests(of: path) { counts[request.key, default: 0] += 1 }
        #expect((800...1200).contains(counts.count))
        #expect(counts.values.allSatisfy { $0 == 3 })
    }

    @Test(arguments: [(0.0, 0), (-1.0, 0), (1.0, 1000), (5.0, 1000), (.nan, 1000)])
    func `a share out of range records nothing or everything`(share: Double, count: Int) throws {
        let path = path()
        var options = RecordingOptions()
        options.keyShare = share
        let recorder = try TraceRecorder<Int>(path: path, options: options)
        for key in 0..<1000 { recorder.noteLookup(key, cost: 1) }
        recorder.close()
        let text = try String(contentsOfFile: path, encoding: .utf8)
        try FileManager.default.removeItem(atPath: path)
        #expect(text.split(separator: "\n").count - 1 == count)
    }

    @Test(arguments: [RecordingOptions.Keys.hashed, .plain])
    func `a recording that is read back and replayed gives the same hits`(keys: RecordingOptions.Keys) throws {
        let path = path()
        let recorder = try TraceRecorder<String>(path: path, options: RecordingOptions(keys: keys))
        let cache = Recorded(
            S3FIFOCache<String, Number>(configuration: StrategyConfiguration(costLimit: 400)), by: recorder)
        var hits: [Bool] = []
        for (index, key) in PolicyCacheTests.traces[2].enumerated() {
            let text = "https://example.com/photos/\(key).png?size=1,2"
            if index % 3 == 0 {
                let loaded = try cache.loadBlocking(text) { Data("\(key)".utf8) }
                hits.append(loaded.outcome == .hit)
            } else {
                let isHit = cache.value(forKey: text) != nil
                if !isHit { cache.insert(Number(key), forKey: text, cost: 1) }
                hits.append(isHit)
            }
            if index % 500 == 499 { cache.removeValue(forKey: text) }
        }
        cache.close()
        #expect(recorder.state == .closed)
        #expect(recorder.lostRequestCount == 0)

        let trace = try NumberedTrace(path: path)
        try FileManager.default.removeItem(atPath: path)
        var policy = S3FIFOPolicy(capacity: .weight(400))
        var replayed: [Bool] = []
        for index in 0..<trace.count {
            let operation = trace.requests.operations.isEmpty ? .read : trace.requests.operations[index]
            #expect(operation != .write)
            if operation == .remove {
                policy.remove(trace.ids[index])
            } else {
                // The weight of a missed lookup is known only if its insert was in the same flush.
                replayed.append(policy.request(trace.ids[index], weight: max(trace.requests.sizes[index], 1)))
            }
        }
        #expect(replayed == hits)
    }

    @Test func `every operation has its line, with time, key, size and word`() async throws {
        let path = path()
        let recorder = try TraceRecorder<Int>(path: path, options: RecordingOptions(keys: .plain))
        let cache = Recorded(LRUCache<Int, TrackedValue>(entryLimit: 10), by: recorder)
        let counter = InstanceCounter()
        let document = TrackedValue(number: 1, byteCount: 70, counter: counter)
        await cache.insert(document, forKey: 1, cost: 70)
        _ = await cache.value(forKey: 1)
        _ = await cache.value(forKey: 2)
        await cache.insert(document, forKey: 2, cost: 5_000_000_000)
        _ = try await cache.load(3) { document.encoded() }
        await #expect(throws: ScriptedOrigin.Refused.self) {
            _ = try await cache.load(4) { throw ScriptedOrigin.Refused() }
        }
        await cache.removeValue(forKey: 1)
        _ = await cache.value(forKey: 9)
        await cache.insert(document, forKey: 2, cost: -3)
        await cache.close()
        let read = try requests(of: path)
        #expect(read.map(\.key) == [1, 1, 2, 3, 4, 1, 9, 2])
        #expect(read.map(\.size) == [70, 70, 5_000_000_000, 70, 0, 0, 0, 0])
        #expect(read.map(\.operation) == [.write, .read, .read, .read, .read, .remove, .read, .write])
        let times = read.compactMap(\.timeNanoseconds)
        #expect(times.count == 8 && times == times.sorted())
    }

    @Test func `plain keys of any content stay distinct`() throws {
        let path = path()
        let keys = [
            "", "a", "nul\0", "a,b", "\"", "line\nend", "r\r", "cafe\u{301}", "7", "07",
            String(repeating: "x", count: 5000),
            String(repeating: "x", count: 5001),
        ]
        let recorder = try TraceRecorder<String>(path: path, options: RecordingOptions(keys: .plain))
        for key in keys + keys + ["caf\u{E9}"] { recorder.noteLookup(key, cost: 1) }
        recorder.close()
        let read = try requests(of: path, keys: .text)
        #expect(read.map(\.key) == (0..<keys.count).map { UInt64($0) } * 2 + [7])
    }

    @Test func `hashed keys differ from recording to recording`() throws {
        var hashes: [UInt64] = []
        for _ in 0..<2 {
            let path = path()
            let recorder = try TraceRecorder<String>(path: path)
            recorder.noteLookup("https://example.com", cost: 1)
            recorder.noteLookup("https://example.com", cost: 1)
            recorder.close()
            hashes += try requests(of: path).map(\.key)
        }
        #expect(hashes.count == 4 && hashes[0] == hashes[1] && hashes[2] == hashes[3])
        #expect(hashes[0] != hashes[2])
    }

    @Test func `a file never grows over its limit, and the recorder reports that it is full`() throws {
        let path = path()
        let limit = 10_000
        let recorder = try TraceRecorder<Int>(path: path, options: RecordingOptions(keys: .plain, fileByteLimit: limit))
        for key in 0..<5000 { recorder.noteLookup(key, cost: key) }
        recorder.close()
        #expect(recorder.state == .full)
        recorder.noteLookup(1, cost: 1)
        recorder.close()
        let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
        #expect(size == recorder.writtenByteCount)
        #expect((limit - 40...limit).contains(size ?? 0))
        #expect(try requests(of: path).map(\.key).enumerated().allSatisfy { $0.offset == Int($0.element) })
    }

    @Test func `a full disk ends the recording and disturbs no caller`() throws {
        let descriptor = open("/dev/full", O_WRONLY)
        try #require(descriptor >= 0)
        let recorder = TraceRecorder<Int>(descriptor: descriptor, options: RecordingOptions())
        let cache = Recorded(LRUCache<Int, Number>(entryLimit: 10), by: recorder)
        for key in 0..<10_000 {
            cache.insert(Number(key), forKey: key, cost: 1)
            #expect(cache.value(forKey: key) == Number(key))
        }
        cache.close()
        #expect(recorder.state == .failed(ENOSPC))
        #expect(recorder.writtenByteCount == 0)
        #expect(cache.value(forKey: 9999) == Number(9999))
    }

    @Test func `an existing file is left as it is`() throws {
        let path = path()
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data("mine".utf8).write(to: URL(fileURLWithPath: path))
        #expect(throws: RecordingError.cannotCreate(path: path, errorNumber: EEXIST)) {
            _ = try TraceRecorder<Int>(path: path)
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data("mine".utf8))
    }

    @Test func `several threads give one trace in the order of its times, with every request`() async throws {
        let path = path()
        let recorder = try TraceRecorder<Int>(path: path, options: RecordingOptions(keys: .plain))
        let cache = Recorded(LRUCache<Int, Number>(entryLimit: 100), by: recorder)
        let threads = 4
        let count = 5000
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<threads {
                group.addTask {
                    await onThread {
                        for number in 0..<count {
                            cache.insert(Number(number), forKey: thread * count + number, cost: 1)
                        }
                    }
                }
            }
        }
        await cache.close()
        #expect(recorder.lostRequestCount == 0)
        let read = try requests(of: path)
        let times = read.compactMap(\.timeNanoseconds)
        #expect(times == times.sorted())
        #expect(read.map { Int($0.key) }.sorted() == Array(0..<threads * count))
        for thread in 0..<threads {
            let own = read.map { Int($0.key) }.filter { $0 / count == thread }
            #expect(own == own.sorted())
        }
    }

    @Test func `recorded requests reach the file although the recorder is gone`() async throws {
        let path = path()
        defer { try? FileManager.default.removeItem(atPath: path) }
        do {
            let recorder = try TraceRecorder<Int>(path: path, options: RecordingOptions(keys: .plain))
            recorder.noteLookup(5, cost: 6)
            withExtendedLifetime(recorder) {}
        }
        await until { (try? String(contentsOfFile: path, encoding: .utf8))?.hasSuffix(",5,6,read\n") == true }
    }

    @Test(arguments: ConformanceCheck.allCases)
    func `a recorded strategy keeps the contract and its own promises`(check: ConformanceCheck) async {
        var kit = ConformanceKit(Recorded<LRUCache<String, TrackedValue>>.self)
        kit.effort = TestTier.isNightly ? .full : .brief
        for failure in await kit.failures(of: check) { Issue.record("\(failure)") }
    }
}

/// The elements, repeated `count` times.
private func * <Element>(elements: [Element], count: Int) -> [Element] {
    (0..<count).flatMap { _ in elements }
}
