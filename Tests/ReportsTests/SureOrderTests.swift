import Testing
import TrialModel

@testable import Reports

/// Which strategies share a rank.
@Suite(.timeLimit(.minutes(1)))
struct SureOrderTests {
    /// A strategy's repetitions: requests to the origin for 1,000 lookups, and p99 in microseconds.
    static func strategy(_ name: String, _ origin: [UInt64], _ p99: [UInt64] = [20, 20, 20]) -> [PhaseResult] {
        origin.enumerated().map { index, origin in
            Samples.phase(
                Samples.key("steady", name, index + 1), hits: 1_000 - origin, origin: origin,
                p99: p99[index % p99.count] * 1_000)
        }
    }

    /// Rank and strategy of each row.
    private func order(_ strategies: [PhaseResult]...) -> [String] {
        ScenarioRanking.all(Array(strategies.joined())).flatMap { ranking in
            ranking.places.map { "\($0.rank) \($0.summary.strategy)" }
        }
    }

    @Test func `two similar strategies share a rank, and the third has rank 3`() {
        let alike = (Self.strategy("a", [300, 302, 304]), Self.strategy("b", [301, 303, 305]))
        #expect(order(alike.0, alike.1, Self.strategy("c", [500, 500, 500])) == ["1 a", "1 b", "3 c"])
    }

    @Test func `one point in every repetition decides`() {
        #expect(
            order(Self.strategy("a", [300, 301, 302]), Self.strategy("b", [312, 313, 320])) == ["1 a", "2 b"])
    }

    @Test func `less than a point between any two repetitions does not decide`() {
        #expect(order(Self.strategy("a", [300, 301, 302]), Self.strategy("b", [311, 330, 350])) == ["1 a", "1 b"])
    }

    @Test(arguments: [(UInt64(349), "1 b"), (350, "2 b")])
    func `with fewer than three repetitions only five points decide`(origin: UInt64, place: String) {
        #expect(order(Self.strategy("a", [300, 300]), Self.strategy("b", [origin, origin])) == ["1 a", place])
    }

    @Test func `p99 decides between strategies with similar shares`() {
        let fast = Self.strategy("a", [304, 304, 304], [20, 21, 22])
        #expect(order(fast, Self.strategy("b", [300, 300, 300], [25, 26, 27])) == ["1 a", "2 b"])
    }

    @Test func `p99 of fewer than three repetitions does not decide`() {
        #expect(
            order(Self.strategy("a", [300, 300], [20]), Self.strategy("b", [300, 300], [900])) == ["1 a", "1 b"])
    }

    @Test func `p99 less than ten per cent apart does not decide`() {
        let results = (Self.strategy("a", [300, 300, 300], [100]), Self.strategy("b", [300, 300, 300], [109]))
        #expect(order(results.0, results.1) == ["1 a", "1 b"])
    }

    @Test func `one repetition of p99 within the other's range does not decide`() {
        let results = (
            Self.strategy("a", [300, 300, 300], [20, 21, 50]), Self.strategy("b", [300, 300, 300], [40, 41, 42])
        )
        #expect(order(results.0, results.1) == ["1 a", "1 b"])
    }

    @Test func `better is never circular`() {
        // a has certainly less than c; b is similar to both, slower than c and faster than a.
        let results = [
            Self.strategy("a", [300, 300, 300], [90]), Self.strategy("b", [306, 306, 306], [60]),
            Self.strategy("c", [312, 312, 312], [30]),
        ]
        #expect(order(results[0], results[1], results[2]) == ["1 a", "1 b", "2 c"])
    }

    @Test(arguments: 0..<200) func `better is transitive, and gives the lower rank`(seed: UInt64) {
        var random = RandomSource(seed: seed)
        let names = ["a", "b", "c", "d", "e", "f"]
        let results = names.flatMap { name -> [PhaseResult] in
            let (share, tail) = (300 + random.next(below: 30), 10 + random.next(below: 30))
            let count = 2 + random.next(below: 2)
            return Self.strategy(
                name, (0..<count).map { _ in share + random.next(below: 8) },
                (0..<count).map { _ in tail + random.next(below: 8) })
        }
        guard let ranking = ScenarioRanking.all(results).first else { return }
        let sure = ranking.ranked
        let ranks = Dictionary(zip(sure.order.map(\.strategy), sure.ranks)) { first, _ in first }
        for first in names {
            #expect(sure.figure(making: first, betterThan: first) == nil)
            for second in names where sure.figure(making: first, betterThan: second) != nil {
                #expect(ranks[first] ?? 9 < ranks[second] ?? 0)
                for third in names where sure.figure(making: second, betterThan: third) != nil {
                    #expect(sure.figure(making: first, betterThan: third) != nil)
                }
            }
        }
    }
}
