import Foundation
import Testing
import TrialModel

@testable import Origins

@Suite(.timeLimit(.minutes(1)))
struct RequestLogTests {
    @Test func `a request that overlaps another one for its key is a duplicate`() {
        var requestLog = RequestLog()
        let first = requestLog.begin(key: 1, phase: 0, at: 10)
        let second = requestLog.begin(key: 1, phase: 0, at: 20)
        let other = requestLog.begin(key: 2, phase: 0, at: 30)
        #expect(requestLog.log(phase: 0).duplicates == 1)
        #expect([first.version, second.version, other.version] == [1, 2, 1])
        requestLog.end(first, .answered, at: 40)
        // The second is still in flight.
        let third = requestLog.begin(key: 1, phase: 0, at: 50)
        #expect(requestLog.log(phase: 0).duplicates == 2)
        for ticket in [second, other, third] { requestLog.end(ticket, .answered, at: 60) }
        let fourth = requestLog.begin(key: 1, phase: 0, at: 70)
        #expect(fourth.version == 4)
        let log = requestLog.log(phase: 0)
        #expect(log.requests == 5)
        #expect(log.duplicates == 2)
        #expect(log.inFlight == 1)
        #expect(log.maxConcurrent == 3)
        #expect(log.maxConcurrentPerKey == 2)
    }

    @Test func `a request counts in the phase in which it arrived`() {
        var requestLog = RequestLog()
        let early = requestLog.begin(key: 1, phase: 0, at: 1)
        let late = requestLog.begin(key: 1, phase: 1, at: 2)
        #expect(requestLog.log(phase: 1).duplicates == 1)
        requestLog.end(early, .abandoned, at: 3)
        requestLog.end(late, .failed, at: 4)
        #expect(requestLog.log(phase: 0).abandoned == 1)
        #expect(requestLog.log(phase: 0).failed == 0)
        #expect(requestLog.log(phase: 1).failed == 1)
        #expect(requestLog.log(phase: nil).requests == 2)
        #expect(requestLog.log(phase: 7) == OriginLog())
    }

    @Test func `entries are listed in the order of their ends, up to the limit`() {
        var requestLog = RequestLog(entryCountMax: 2)
        let tickets = (0..<4).map { requestLog.begin(key: UInt64($0), phase: 0, at: 100 + UInt64($0)) }
        for ticket in tickets.reversed() { requestLog.end(ticket, .answered, at: 200, isLate: true) }
        #expect(requestLog.entries.map(\.key) == [3, 2])
        #expect(requestLog.entries.first?.startNanoseconds == 103)
        #expect(requestLog.entries.first?.endNanoseconds == 200)
        #expect(requestLog.log(phase: 0).droppedEntries == 2)
        #expect(requestLog.log(phase: 0).late == 4)
        #expect(requestLog.log(phase: 0).requests == 4)
    }
}

@Suite(.timeLimit(.minutes(1)))
struct OriginRouteTests {
    @Test(arguments: [
        (OriginRoute.help, "/"),
        (.trial("a.b_c-9"), "/trials/a.b_c-9"),
        (.value(trial: "a", key: .max, phase: .max), "/trials/a/values/18446744073709551615?phase=65535"),
        (.log(trial: "a", phase: nil), "/trials/a/log"),
        (.log(trial: "a", phase: 0), "/trials/a/log?phase=0"),
        (.entries(trial: "a", phase: nil), "/trials/a/log/entries"),
        (.entries(trial: "a", phase: 12), "/trials/a/log/entries?phase=12"),
    ])
    func `a route is read back from its path`(route: OriginRoute, path: String) throws {
        #expect(route.path == path)
        let parts = path.split(separator: "?").map(String.init)
        #expect(try OriginRoute(path: parts[0][...], query: parts.count > 1 ? parts[1][...] : nil) == route)
    }

    @Test(arguments: ["", "a/b", "a b", "ä", "a%20b", String(repeating: "a", count: 201), "a\n"])
    func `an id that needs escaping, is empty or too long is not an id`(id: String) {
        #expect(!OriginRoute.isTrialName(id))
    }

    @Test func `a delay is a pure function of seed, key and version`() {
        let spread = Distribution.uniform(min: 0, max: 1_000_000)
        let registration = TrialRegistration(
            seed: 7, values: ValueSpecification(kind: .bytes, size: .fixed(64)),
            origin: OriginSpecification(kind: .server, delay: spread)
        )
        let sampler = DistributionSampler(spread)
        func delays() -> [UInt64] {
            (0..<100).map { registration.delay(key: $0 / 10, version: $0 % 10, phase: 0, sampler: sampler) }
        }
        #expect(delays() == delays())
        #expect(Set(delays()).count > 95)
    }
}

/// The request log as a server sends it.
@Suite(.timeLimit(.minutes(1)))
struct OriginRequestListTests {
    static let header = "phase,key,version,start_ns,end_ns,status,fault\r\n"

    static func entries(_ text: String) throws -> [OriginLogEntry] {
        try OriginRequestList.entries(inCSV: Data(text.utf8))
    }

    @Test func `each line is a request`() throws {
        let entries = try Self.entries(
            Self.header + "0,7,1,100,200,200,\r\n3,18446744073709551615,2,5,6,499,server-error\r\n")
        #expect(entries.map(\.key) == [7, .max])
        #expect(entries.map(\.phase) == [0, 3])
        #expect(entries.map(\.version) == [1, 2])
        #expect(entries.map(\.startNanoseconds) == [100, 5])
        #expect(entries.map(\.endNanoseconds) == [200, 6])
        #expect(entries.map(\.ending) == [.answered, .abandoned])
        #expect(entries.map(\.fault) == [nil, .serverError])
    }

    @Test func `a log without requests is an empty list`() throws {
        #expect(try Self.entries(Self.header).isEmpty)
    }

    @Test(
        arguments: [
            "0,7,1,100,200", "0,7,1,100,200,200", "0,7,1,100,200,200,1", "0,7,1,100,200,200,no-such-fault",
            "0,,1,100,200,200,", "0,7,1,100,200,404,", "a,7,1,100,200,200,", "0,-7,1,100,200,200,",
            "65536,7,1,100,200,200,", "0,18446744073709551616,1,100,200,200,", "",
        ])
    func `an invalid line is named`(line: String) {
        #expect(throws: OriginRequestList.Malformed.self) {
            try Self.entries(Self.header + line + "\r\n")
        }
    }

    @Test func `a truncated answer is detected`() {
        #expect(throws: OriginRequestList.Malformed.self) { try Self.entries(Self.header + "0,7,1,100,200,200,") }
        #expect(throws: OriginRequestList.Malformed.self) { try Self.entries("") }
    }
}
