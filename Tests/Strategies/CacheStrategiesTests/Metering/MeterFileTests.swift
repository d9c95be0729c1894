import Foundation
import Testing
import Traces
import TrialModel

@testable import CacheStrategies

@Suite(.timeLimit(.minutes(1)))
struct MeterFileTests {
    private static func report() -> MeterReport {
        let meter = CacheMeter<Int>(capacity: .bytes(40_000), costShare: 1)
        for (index, key) in CacheMeterTests.keys(2_000, of: 400).enumerated() {
            meter.noteLookup(key, cost: 100 + key)
            if index % 100 == 99 { meter.digest() }
        }
        return meter.report()
    }

    @Test func `a report is read back from its file as it was`() throws {
        let report = Self.report()
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("meter-\(UUID().uuidString).json")
        defer { try? FileManager.default.removeItem(at: file) }
        try report.write(to: file)
        #expect(try MeterReport(json: Data(contentsOf: file)) == report)
    }

    @Test(arguments: [
        ("", "it is not JSON"), ("[1]", "the value of \"the whole\" has another type"),
        ("{}", "it has no key \"capacity\""),
        ("{\"capacity\": 7}", "the value of \"capacity\" has another type"),
    ])
    func `another file is refused with the reason`(text: String, reason: String) {
        let error = #expect(throws: MeterFileError.self) { try MeterReport(json: Data(text.utf8)) }
        #expect(error?.description == "this is not the report of a CacheMeter: \(reason)")
    }

    @Test(arguments: [
        ("keyShare", "0"), ("keyShare", "1.5"), ("seenShare", "-0.1"), ("keys", "1e300"), ("lookups", "-1"),
        ("meanCost", "-2"), ("seconds", "1e40"), ("periods", "[{\"lookups\":1,\"keys\":1,\"misses\":[[1]]}]"),
        ("capacity", "{\"entries\":9223372036854775807}"), ("lookups", "1e30"),
    ])
    func `a number out of range is refused with its name`(key: String, value: String) throws {
        let data = try JSONEncoder().encode(Self.report())
        var object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        object[key] = try JSONSerialization.jsonObject(with: Data(value.utf8), options: .fragmentsAllowed)
        let json = try JSONSerialization.data(withJSONObject: object)
        #expect(throws: MeterFileError.self) { try MeterReport(json: json) }
    }

    @Test(arguments: ["{\"bytes\":-9223372036854775808}", "{\"bytes\":9223372036854775807}", "{\"entries\":100}"])
    func `a point of another size than a multiple of the capacity is refused`(size: String) throws {
        let text = String(decoding: try JSONEncoder().encode(Self.report()), as: UTF8.self)
        let first = try #require(text.range(of: "{\"bytes\":3110}"))
        #expect(throws: MeterFileError.self) {
            try MeterReport(json: Data(text.replacing(text[first], with: size).utf8))
        }
    }

    @Test(arguments: [
        ["fifo": "lru", "lru": "fifo"], ["lirs": "fifo", "arc": "fifo", "s3-fifo": "fifo", "lru": "fifo"],
    ])
    func `points of other policies than a meter's are refused`(names: [String: String]) throws {
        var report = Self.report()
        for index in report.sinceStart?.points.indices ?? 0..<0 {
            let name = report.sinceStart?.points[index].policy ?? ""
            report.sinceStart?.points[index].policy = names[name] ?? name
        }
        let json = try JSONEncoder().encode(report)
        let error = #expect(throws: MeterFileError.self) { try MeterReport(json: json) }
        #expect(
            error?.description.hasSuffix("its policies are not fifo, lru, s3-fifo, arc, lirs, each at all sizes")
                == true)
    }

    @Test func `no byte of a report can be changed so that reading traps`() throws {
        let data = try JSONEncoder().encode(Self.report())
        var random = RandomSource(seed: 19)
        for _ in 0..<200 {
            var changed = data
            for _ in 0..<3 {
                // Other digits are read, other bytes mostly refused.
                let place = Int(clamping: random.next(below: UInt64(changed.count)))
                changed[place] = UInt8(
                    random.next(below: 2) == 0 ? 0x30 + random.next(below: 10) : random.next(below: 256))
            }
            guard let report = try? MeterReport(json: changed) else { continue }
            #expect(!report.description.isEmpty)
            // Declining is right as well; it is traps that this looks for.
            if let advice = try? TraceAdvice(report) { #expect((0...1).contains(advice.hitRatio.value)) }
        }
    }
}
