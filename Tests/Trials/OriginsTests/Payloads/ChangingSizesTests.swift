import Foundation
import Testing

@testable import Origins
@testable import TrialModel

/// Values whose size changes by version.
@Suite(.timeLimit(.minutes(1)))
struct ChangingSizesTests {
    private static func factory(_ kind: ValueKind = .bytes, changes: Bool? = true, seed: UInt64 = 5) -> PayloadFactory {
        PayloadFactory(specification: values(kind, changes: changes), seed: seed)
    }

    private static func values(_ kind: ValueKind = .bytes, changes: Bool? = true) -> ValueSpecification {
        ValueSpecification(kind: kind, size: .uniform(min: 100, max: 4_000), changes: changes)
    }

    @Test func `each version of a key has a fixed size of its own`() {
        let sizes = (1...500).map { Self.factory().size(ofKey: 3, version: $0) }
        #expect(sizes.allSatisfy { (100...4_000).contains($0) })
        #expect(Set(sizes).count > 400)
        #expect(sizes == (1...500).map { Self.factory().size(ofKey: 3, version: $0) })
        #expect(sizes != (1...500).map { Self.factory().size(ofKey: 4, version: $0) })
        #expect(sizes != (1...500).map { Self.factory(seed: 6).size(ofKey: 3, version: $0) })
    }

    @Test(arguments: [nil, false] as [Bool?])
    func `without changing sizes a key has one size, as before`(changes: Bool?) {
        let factory = Self.factory(changes: changes)
        let plain = PayloadFactory(specification: Self.values(changes: nil), seed: 5)
        for key in 0..<100 as Range<UInt64> {
            #expect(Set([1, 2, 99, .max].map { factory.size(ofKey: key, version: $0) }) == [plain.size(ofKey: key)])
        }
    }

    @Test(arguments: ValueKind.allCases)
    func `a payload, made or decoded, has the size of its version and is intact`(kind: ValueKind) throws {
        let factory = Self.factory(kind)
        for version in [1, 2, 3, 1 << 48 | 7] as [UInt64] {
            let made = factory.payload(key: 9, version: version)
            let decoded = try Payload(encoded: factory.encoded(key: 9, version: version))
            for payload in [made, decoded] {
                #expect(payload.cost == factory.size(ofKey: 9, version: version))
                #expect(payload.identity == PayloadIdentity(key: 9, version: version))
                #expect(payload.isIntact(seed: 5))
            }
        }
    }

    @Test func `a store returns the template of the version, and keeps none`() async throws {
        let store = TemplateStore(factory: Self.factory(), byteCountMax: 1 << 20)
        try await store.prepare([0..<10])
        for version in 1...5 as ClosedRange<UInt64> {
            let expected = try Self.factory().encoded(key: 2, version: version)
            #expect(try await store.template(2, version: version).encoded(version: version) == expected)
            #expect(try store.templateBlocking(2, version: version).encoded(version: version) == expected)
        }
        #expect(store.kept(2) == nil)
        #expect(store.keptByteCount == 0)
    }

    @Test func `the sizes of pools change as well`() {
        var values = Self.values()
        values.pools = [
            PooledValues(first: 0, count: 10, size: .fixed(100)),
            PooledValues(first: 10, count: 10, size: .uniform(min: 200, max: 300)),
        ]
        let factory = PayloadFactory(specification: values, seed: 5)
        #expect(Set((1...100).map { factory.size(ofKey: 9, version: $0) }) == [100])
        let sizes = Set((1...100).map { factory.size(ofKey: 10, version: $0) })
        #expect(sizes.count > 40 && sizes.allSatisfy { (200...300).contains($0) })
    }

    @Test func `a size that a trace lists stays`() {
        let table = KeyTable(sizes: [0, 700], lifetimes: nil)
        let factory = PayloadFactory(specification: Self.values(), seed: 5, table: table)
        #expect((1...10).allSatisfy { factory.size(ofKey: 1, version: $0) == 700 })
    }

    @Test func `a specification without changing sizes is written as before`() throws {
        let text = String(decoding: try JSONEncoder().encode(Self.values(changes: nil)), as: UTF8.self)
        #expect(!text.contains("changes"))
    }

    @Test func `a cache can hold a picture in fewer bytes than it costs, and no other value`() throws {
        let picture = Self.factory(.image).payload(key: 1, version: 1)
        #expect(picture.byteCountMin == (try picture.encoded().count))
        #expect(picture.byteCountMin < picture.cost)
        for kind in [ValueKind.bytes, .article] {
            let value = Self.factory(kind).payload(key: 1, version: 1)
            #expect(value.byteCountMin == value.cost)
        }
    }
}
