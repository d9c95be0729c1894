import Testing

@testable import Origins

@Suite(.timeLimit(.minutes(1)))
struct RequestLedgerTests {
    @Test func `a request that overlaps another one for its key is a duplicate`() {
        var ledger = RequestLedger()
        let first = ledger.begin(key: 1, phase: 0, at: 10)
        let second = ledger.begin(key: 1, phase: 0, at: 20)
        let other = ledger.begin(key: 2, phase: 0, at: 30)
        #expect(ledger.log(phase: 0).duplicates == 1)
        #expect([first.version, second.version, other.version] == [1, 2, 1])
        ledger.end(first, .answered, at: 40)
        // The second is still under way.
        let third = ledger.begin(key: 1, phase: 0, at: 50)
        #expect(ledger.log(phase: 0).duplicates == 2)
        for ticket in [second, other, third] { ledger.end(ticket, .answered, at: 60) }
        let fourth = ledger.begin(key: 1, phase: 0, at: 70)
        #expect(fourth.version == 4)
        let log = ledger.log(phase: 0)
        #expect(log.requests == 5)
        #expect(log.duplicates == 2)
        #expect(log.underWay == 1)
        #expect(log.maxConcurrent == 3)
        #expect(log.maxConcurrentPerKey == 2)
    }

    @Test func `a request counts in the phase in which it arrived`() {
        var ledger = RequestLedger()
        let early = ledger.begin(key: 1, phase: 0, at: 1)
        let late = ledger.begin(key: 1, phase: 1, at: 2)
        #expect(ledger.log(phase: 1).duplicates == 1)
        ledger.end(early, .abandoned, at: 3)
        ledger.end(late, .failed, at: 4)
        #expect(ledger.log(phase: 0).abandoned == 1)
        #expect(ledger.log(phase: 0).failed == 0)
        #expect(ledger.log(phase: 1).failed == 1)
        #expect(ledger.log(phase: nil).requests == 2)
        #expect(ledger.log(phase: 7) == OriginLog())
    }

    @Test func `entries are listed in the order of their ends, up to the limit`() {
        var ledger = RequestLedger(entryCountMax: 2)
        let tickets = (0..<4).map { ledger.begin(key: UInt64($0), phase: 0, at: 100 + UInt64($0)) }
        for ticket in tickets.reversed() { ledger.end(ticket, .answered, at: 200, isLate: true) }
        #expect(ledger.entries.map(\.key) == [3, 2])
        #expect(ledger.entries.first?.startNanoseconds == 103)
        #expect(ledger.entries.first?.endNanoseconds == 200)
        #expect(ledger.log(phase: 0).droppedEntries == 2)
        #expect(ledger.log(phase: 0).late == 4)
        #expect(ledger.log(phase: 0).requests == 4)
    }
}
