import Foundation
import Testing
import TrialModel

@testable import Origins

@Suite(.timeLimit(.minutes(1)))
struct PayloadTests {
    @Test(arguments: ValueKind.allCases, [64, 65, 100, 1_000, 4_096, 70_001])
    func `a payload survives encoding and decoding`(kind: ValueKind, size: UInt64) throws {
        let factory = PayloadFactory(size, of: kind)
        for key in [0, 1, 77, UInt64.max] {
            let payload = try Payload(encoded: factory.encoded(key: key, version: 3))
            #expect(payload.identity == PayloadIdentity(key: key, version: 3))
            #expect(payload.isIntact(seed: 5))
            let again = try Payload(encoded: payload.encoded())
            #expect(again.identity == payload.identity)
            #expect(again.isIntact(seed: 5))
        }
    }

    @Test(arguments: ValueKind.allCases, [0, 64, 65, 100, 1_000, 4_096, 70_001])
    func `a payload has the cost that the factory computes`(kind: ValueKind, size: UInt64) throws {
        let factory = PayloadFactory(size, of: kind)
        let made = factory.payload(key: 9, version: 1)
        let decoded = try Payload(encoded: factory.encoded(key: 9, version: 1))
        #expect(made.cost == factory.size(ofKey: 9))
        #expect(decoded.cost == factory.size(ofKey: 9))
    }

    @Test(arguments: ValueKind.allCases)
    func `a payload made directly equals a decoded one`(kind: ValueKind) throws {
        let factory = PayloadFactory(5_000, of: kind)
        let made = factory.payload(key: 12, version: 8)
        #expect(made.identity == PayloadIdentity(key: 12, version: 8))
        #expect(made.isIntact(seed: 5))
        let decoded = try Payload(encoded: factory.encoded(key: 12, version: 8))
        #expect(try made.encoded() == decoded.encoded())
    }

    @Test(arguments: ValueKind.allCases)
    func `a payload of another seed is not intact`(kind: ValueKind) {
        #expect(!PayloadFactory(5_000, of: kind).payload(key: 12, version: 8).isIntact(seed: 6))
    }

    @Test(arguments: ValueKind.allCases)
    func `the identity is read without decoding`(kind: ValueKind) throws {
        let encoded = try PayloadFactory(5_000, of: kind).encoded(key: 12, version: .max)
        #expect(try PayloadIdentity(peekingInto: encoded) == PayloadIdentity(key: 12, version: .max))
    }

    @Test func `an article is encoded as JSONEncoder would`() throws {
        let factory = PayloadFactory(2_000, of: .article)
        let payload = factory.payload(key: 4, version: 2)
        #expect(try payload.encoded() == factory.encoded(key: 4, version: 2))
    }

    @Test(arguments: ValueKind.allCases)
    func `a slice of data decodes as well as the whole`(kind: ValueKind) throws {
        let encoded = try PayloadFactory(500, of: kind).encoded(key: 4, version: 2)
        let slice = (Data([1, 2, 3]) + encoded + Data([4, 5])).dropFirst(3).dropLast(2)
        #expect(try Payload(encoded: slice).isIntact(seed: 5))
        #expect(try PayloadIdentity(peekingInto: slice).key == 4)
    }

    @Test func `a changed pixel or letter is not intact`() throws {
        let image = PixelImage(seed: 5, key: 1, byteCount: 400)
        for index in image.pixels.indices {
            var pixels = image.pixels
            pixels[index] ^= 1
            let changed = PixelImage(width: image.width, height: image.height, pixels: pixels)
            #expect(!changed.isIntact(seed: 5, key: 1), "byte \(index)")
        }
        var text = ArticleText(seed: 5, key: 1, byteCount: 400)
        text.paragraphs[0].removeFirst()
        text.paragraphs[0].insert("#", at: text.paragraphs[0].startIndex)
        let identity = PayloadIdentity(key: 1, version: 1)
        #expect(!Payload(identity: identity, content: .article(text)).isIntact(seed: 5))
    }
}

extension PayloadFactory {
    /// A factory for one size, with seed 5.
    init(_ size: UInt64, of kind: ValueKind) {
        self.init(specification: ValueSpecification(kind: kind, size: .fixed(size)), seed: 5)
    }
}
