import Testing
import TrialModel

@testable import TimedStrategies
@testable import TrialLoop

/// How many operations overlapped one of another client.
@Suite(.timeLimit(.minutes(1)))
struct ContendedOperationsTests {
    static func spans(_ pairs: (UInt64, UInt64)...) -> [TimeSpan] { pairs.map { TimeSpan($0.0, $0.1) } }

    @Test func `operations that only touch do not overlap`() {
        #expect(OperationRecords.contendedCount([Self.spans((0, 10), (10, 20)), Self.spans((20, 30))]) == 0)
    }

    @Test func `one long operation overlaps all operations during it, and they overlap it`() {
        #expect(
            OperationRecords.contendedCount([Self.spans((0, 100)), Self.spans((1, 2), (50, 51), (99, 120), (130, 131))])
                == 4)
    }

    @Test func `a single client has no overlaps`() {
        #expect(OperationRecords.contendedCount([Self.spans((0, 10), (10, 20))]) == 0)
        #expect(OperationRecords.contendedCount([[TimeSpan]]()) == 0)
    }

    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func `the count equals a comparison of every pair of operations`(seed: UInt64) {
        var random = RandomSource(seed: seed, stream: 0)
        var clients: [[TimeSpan]] = []
        for _ in 0...random.next(below: 5) {
            var now: UInt64 = 0
            var spans: [TimeSpan] = []
            for _ in 0..<random.next(below: 60) {
                let start = now + random.next(below: 30)
                now = start + 1 + random.next(below: 20)
                spans.append(TimeSpan(start, now))
            }
            clients.append(spans)
        }
        var expected: UInt64 = 0
        for index in clients.indices {
            var others = clients
            let own = others.remove(at: index)
            for span in own {
                let meets = others.joined().contains { $0.start < span.end && span.start < $0.end }
                expected += meets ? 1 : 0
            }
        }
        #expect(OperationRecords.contendedCount(clients) == expected, "seed \(seed)")
    }
}
