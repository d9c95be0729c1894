import Testing

@testable import CacheStrategies

@Suite(.timeLimit(.minutes(1)))
struct FillMatcherTests {
    private typealias Request = RecordedRequest<Int>

    private func match(_ batches: [[(Request.Kind, Int, UInt64)]]) -> [[String]] {
        var matcher = FillMatcher<Int>()
        return batches.map { batch in
            var requests = ContiguousArray(
                batch.map { Request(nanoseconds: 0, key: $0.1, size: $0.2, kind: $0.0) })
            _ = matcher.match(&requests, 0..<requests.count)
            matcher.leave(requests.count)
            return requests.map { "\($0.kind) \($0.key) \($0.size)" }
        }
    }

    @Test func `an insert after a miss gives the miss its size`() {
        #expect(
            match([[(.missedRead, 1, 0), (.missedRead, 2, 0), (.write, 2, 7), (.write, 1, 5), (.write, 1, 6)]])
                == [["missedRead 1 5", "missedRead 2 7", "write 1 6"]])
    }

    @Test func `an insert fills a miss of an earlier batch that is still waiting`() {
        var matcher = FillMatcher<Int>()
        func request(_ kind: Request.Kind, _ key: Int, _ size: UInt64) -> Request {
            Request(nanoseconds: 0, key: key, size: size, kind: kind)
        }
        var requests: ContiguousArray = [request(.read, 9, 9), request(.missedRead, 1, 0), request(.missedRead, 2, 0)]
        var end = matcher.match(&requests, 0..<3)
        // One request leaves; each later insert fills one of the waiting ones.
        requests.removeFirst()
        matcher.leave(1)
        requests += [request(.write, 2, 7), request(.write, 3, 4), request(.missedRead, 4, 0)]
        end = matcher.match(&requests, end - 1..<4)
        #expect(end == 3)
        #expect(
            requests.map { "\($0.kind) \($0.key) \($0.size)" }
                == ["missedRead 1 0", "missedRead 2 7", "write 3 4", "missedRead 4 0"])
    }

    @Test func `an insert after its miss has left is not a write either`() {
        #expect(
            match([[(.missedRead, 1, 0)], [(.read, 2, 1), (.write, 1, 5), (.write, 1, 6)]])
                == [["missedRead 1 0"], ["read 2 1", "write 1 6"]])
    }

    @Test func `of misses that have left, the next insert is not a write, and the others are`() {
        let misses = [[(Request.Kind, Int, UInt64)]](repeating: [(.missedRead, 1, 0)], count: 100)
        let writes: [(Request.Kind, Int, UInt64)] = [(.write, 1, 5), (.write, 1, 6), (.write, 1, 7)]
        #expect(match(misses + [writes]).last == ["write 1 6", "write 1 7"])
    }

    @Test func `misses that are never followed by an insert take no memory once they have left`() {
        var matcher = FillMatcher<Int>()
        for number in 0..<100_000 {
            var requests: ContiguousArray = [
                Request(nanoseconds: 0, key: number < 50_000 ? 1 : number % 10, size: 0, kind: .missedRead)
            ]
            _ = matcher.match(&requests, 0..<1)
            matcher.leave(1)
        }
        #expect(matcher.missCount < 10_000)
    }

    @Test func `two misses together are filled by two inserts`() {
        #expect(
            match([[(.missedRead, 1, 0), (.missedRead, 1, 0), (.write, 1, 5), (.write, 1, 5), (.write, 1, 5)]])
                == [["missedRead 1 5", "missedRead 1 5", "write 1 5"]])
    }

    @Test func `after a hit or a removal an insert is a write`() {
        #expect(
            match([[(.missedRead, 1, 0), (.read, 1, 3), (.write, 1, 5)]])
                == [["missedRead 1 0", "read 1 3", "write 1 5"]])
        #expect(
            match([[(.missedRead, 1, 0), (.remove, 1, 0), (.write, 1, 5)]])
                == [["missedRead 1 0", "remove 1 0", "write 1 5"]])
    }
}
