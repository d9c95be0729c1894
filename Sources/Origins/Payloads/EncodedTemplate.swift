package import Foundation
import TrialModel

/// The encoded payload of a key without its version: made once, then copied and stamped for each answer.
///
/// Compressing a picture costs thousands of times as much as stamping it, and every answer of an origin carries its own
/// version. Where sizes change, a template belongs to the version for which it was made.
package struct EncodedTemplate: Sendable {
    private let kind: ValueKind
    private let key: UInt64
    private let lifetime: UInt64
    /// The part that all versions share.
    private let shared: [UInt8]
    /// The digest of the shared part, where a checksum needs it.
    private let digest: UInt64

    init(kind: ValueKind, key: UInt64, seed: UInt64, byteCount: Int, lifetime: UInt64 = 0) throws(PayloadError) {
        self.kind = kind
        self.key = key
        self.lifetime = lifetime
        switch kind {
        case .image:
            shared = try PNGCodec.compress(PixelImage(seed: seed, key: key, byteCount: byteCount))
            digest = 0
        case .article:
            let text = ArticleText(seed: seed, key: key, byteCount: byteCount)
            shared = ArticleDocument.tail(text)
            digest = text.digest
        case .bytes:
            shared = ByteBlock.fill(seed: seed, key: key, byteCount: byteCount - ByteBlock.headerByteCount)
            digest = shared.withUnsafeBytes { ByteBlock.digest(ofFill: $0) }
        }
    }

    /// The approximate memory of the template, in bytes.
    package var byteCount: Int { shared.count + 64 }

    /// An upper bound of the encoded size, in bytes.
    package var encodedByteCountMax: Int { shared.count + 192 }

    /// Passes on the encoded payload of a version, in pieces and in order.
    package func write(version: UInt64, to write: (UnsafeRawBufferPointer) -> Void) {
        let identity = PayloadIdentity(key: key, version: version, lifetime: lifetime)
        switch kind {
        case .image:
            shared.withUnsafeBytes(write)
            PNGCodec.trailer(identity: identity).withUnsafeBytes(write)
        case .article:
            ArticleDocument.head(identity: identity, textDigest: digest).withUnsafeBytes(write)
            shared.withUnsafeBytes(write)
        case .bytes:
            let byteCount = ByteBlock.headerByteCount + shared.count
            ByteBlock.header(identity: identity, byteCount: byteCount, fillDigest: digest).withUnsafeBytes(write)
            shared.withUnsafeBytes(write)
        }
    }

    /// The encoded payload of a version. Costs one copy.
    package func encoded(version: UInt64) -> Data {
        var data = Data(capacity: encodedByteCountMax)
        write(version: version) { data.append(contentsOf: $0) }
        return data
    }
}
