import Testing

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
