import Foundation
import Testing
import TrialModel

@testable import Origins

@Suite(.timeLimit(.minutes(1)))
struct PayloadFactoryTests {
    /// Digests of decoded contents: a change of any of them breaks every comparison with an older result.
    @Test(
        arguments: [
            (.image, 1, 1_499_621_567_335_981_202), (.image, 2, 15_817_183_400_285_909_882),
            (.article, 1, 11_031_136_818_447_549_119), (.article, 2, 15_048_293_637_754_825_044),
            (.bytes, 1, 876_770_604_995_539_892), (.bytes, 2, 8_532_317_934_849_614_048),
        ] as [(ValueKind, UInt64, UInt64)]
    )
    func `contents never change`(kind: ValueKind, key: UInt64, digest: UInt64) {
        let payload = PayloadFactory(4_096, of: kind).payload(key: key, version: 7)
        #expect(payload.contentDigest == digest)
    }

    @Test(arguments: ValueKind.allCases)
    func `contents differ between keys`(kind: ValueKind) {
        let factory = PayloadFactory(1_000, of: kind)
        #expect(Set((0..<500).map { factory.payload(key: $0, version: 1).contentDigest }).count == 500)
    }

    @Test func `sizes follow the distribution and never change`() {
        let specification = ValueSpecification(kind: .bytes, size: .uniform(min: 1_000, max: 2_000))
        let factory = PayloadFactory(specification: specification, seed: 5)
        let sizes = (0..<2_000).map { factory.size(ofKey: $0) }
        #expect(sizes.allSatisfy { (1_000...2_000).contains($0) })
        #expect(Set(sizes).count > 700)
        #expect(sizes.prefix(4) == [1_075, 1_512, 1_987, 1_270])
        #expect(sizes == (0..<2_000).map { PayloadFactory(specification: specification, seed: 5).size(ofKey: $0) })
    }

    @Test(arguments: ValueKind.allCases)
    func `sizes stay within the limits`(kind: ValueKind) {
        #expect(PayloadFactory(0, of: kind).size(ofKey: 1) == 64)
        #expect(PayloadFactory(.max, of: kind).size(ofKey: 1) == 256 << 20)
    }

    @Test(arguments: [64, 100, 4_096, 65_536, 1_000_000, 123_457])
    func `a picture is smaller than its size by less than a row`(size: Int) {
        let (width, height) = PixelImage.dimensions(forByteCount: size)
        #expect(width * height * 4 <= size)
        #expect(width * height * 4 > size - 4 * width - 4)
        #expect(height >= width && height <= width + 2)
    }

    @Test func `a picture compresses as a photograph does`() throws {
        let factory = PayloadFactory(256 * 256 * 4, of: .image)
        let ratio = Double(try factory.encoded(key: 3, version: 1).count) / Double(factory.size(ofKey: 3))
        #expect((0.1...0.6).contains(ratio), "\(ratio)")
    }

    @Test(arguments: ValueKind.allCases)
    func `a template stamps any version`(kind: ValueKind) throws {
        let template = try PayloadFactory(900, of: kind).template(key: 6, version: 1)
        for version in [0, 1, 99_999, UInt64.max] {
            let encoded = template.encoded(version: version)
            #expect(try Payload(encoded: encoded).identity == PayloadIdentity(key: 6, version: version))
            #expect(encoded.count <= template.encodedByteCountMax)
        }
    }
}

extension Payload {
    /// A digest of the whole decoded content.
    var contentDigest: UInt64 {
        switch content {
        case .image(let image): image.pixels.withUnsafeBytes { ByteBlock.digest(ofFill: $0) }
        case .article(let text): text.digest
        case .bytes(let block): block.bytes.withUnsafeBytes { ByteBlock.digest(ofFill: $0) }
        }
    }
}
