import Foundation
import Testing

@testable import Origins
@testable import TrialModel

/// Values and requests of key pools.
@Suite(.timeLimit(.minutes(1)))
struct PooledValuesTests {
    private static let pools = [
        PooledValues(first: 0, count: 10, size: .fixed(100)),
        PooledValues(first: 10, count: 20, size: .uniform(min: 1_000, max: 2_000), timeToLive: 5_000_000),
        PooledValues(first: 30, count: 5, size: .fixed(300), timeToLive: 7_000_000),
    ]

    private static let values = ValueSpecification(kind: .bytes, size: .fixed(70), pools: pools)

    private static func mistakes(_ pools: [PooledValues]) -> [String] {
        TrialRegistration(
            seed: 1, values: ValueSpecification(kind: .bytes, size: .fixed(70), pools: pools),
            origin: OriginSpecification(kind: .server, delay: .fixed(0))
        ).mistakes
    }

    @Test func `a value has a size of its pool`() {
        let factory = PayloadFactory(specification: Self.values, seed: 5)
        #expect((0..<10).allSatisfy { factory.size(ofKey: $0) == 100 })
        let sizes = (10..<30).map { factory.size(ofKey: $0) }
        #expect(sizes.allSatisfy { (1_000...2_000).contains($0) } && Set(sizes).count > 10)
        #expect((30..<35).allSatisfy { factory.size(ofKey: $0) == 300 })
    }

    @Test(arguments: ValueKind.allCases)
    func `a value lives as long as its pool says, also on the wire`(kind: ValueKind) throws {
        var values = Self.values
        values.kind = kind
        let factory = PayloadFactory(specification: values, seed: 5)
        let lifetimes: [UInt64: UInt64] = [0: 0, 9: 0, 10: 5_000_000, 29: 5_000_000, 30: 7_000_000, 34: 7_000_000]
        for (key, lifetime) in lifetimes {
            #expect(factory.payload(key: key, version: 3).identity.lifetime == lifetime)
            #expect(try Payload(encoded: factory.encoded(key: key, version: 3)).identity.lifetime == lifetime)
        }
    }

    @Test func `requests are counted by pool, and add up`() {
        var requestLog = RequestLog(pools: Self.pools)
        let tickets = [0, 9, 10, 10, 29, 30, 30, 30].map { requestLog.begin(key: $0, phase: 2, at: 1) }
        for ticket in tickets { requestLog.end(ticket, .answered, at: 2) }
        _ = requestLog.begin(key: 34, phase: 3, at: 3)
        let log = requestLog.log(phase: 2)
        #expect(log.pools?.map(\.requests) == [2, 3, 3])
        #expect(log.pools?.map(\.duplicates) == [0, 1, 2])
        #expect(log.requests == 8 && log.duplicates == 3)
        #expect(requestLog.log(phase: nil).pools?.map(\.requests) == [2, 3, 4])
        #expect(requestLog.log(phase: 7).pools?.map(\.requests) == [0, 0, 0])
    }

    @Test func `a log without pools does not mention them`() throws {
        var requestLog = RequestLog()
        _ = requestLog.begin(key: 1, phase: 0, at: 1)
        #expect(requestLog.log(phase: 0).pools == nil)
        #expect(try !String(decoding: JSONEncoder().encode(requestLog.log(phase: 0)), as: UTF8.self).contains("pools"))
    }

    @Test func `the first keys of each pool are prepared`() {
        var registration = TrialRegistration(
            seed: 1, values: Self.values, origin: OriginSpecification(kind: .server, delay: .fixed(0)),
            preparedKeyCount: 8)
        #expect(registration.mistakes.isEmpty)
        #expect(registration.preparedKeys == [0..<8, 10..<18, 30..<35])
        registration.values.pools = nil
        #expect(registration.preparedKeys == [0..<8])
    }

    @Test func `pools with gaps, overlaps, or excessive numbers or sizes are refused`() {
        #expect(
            Self.mistakes([PooledValues(first: 1, count: 10, size: .fixed(100))])
                == ["values.pools[0]: its keys do not follow those of the pool before"])
        let small = PooledValues(first: 0, count: 10, size: .fixed(100))
        #expect(Self.mistakes([small, PooledValues(first: 5, count: 10, size: .fixed(100))]).count == 1)
        #expect(Self.mistakes([small, PooledValues(first: 10, count: .max, size: .fixed(100))]).count == 1)
        #expect(Self.mistakes([small, PooledValues(first: 10, count: 0, size: .fixed(100))]).count == 1)
        #expect(
            Self.mistakes([PooledValues(first: 0, count: 1, size: .fixed(1 << 40))])
                == ["values.pools[0].size: up to 1099511627776 bytes; the limit is 268435456"])
        let many = (0..<17).map { PooledValues(first: $0, count: 1, size: .fixed(100)) }
        #expect(Self.mistakes(many) == ["values.pools: 17 pools; the limit is 16"])
    }
}
