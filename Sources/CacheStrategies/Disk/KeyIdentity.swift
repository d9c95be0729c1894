import Foundation

/// A key as the disk knows it.
struct KeyIdentity: Sendable {
    /// The key's bytes, which its file holds.
    let bytes: Data
    /// Their digest, which names the file.
    let digest: KeyDigest

    init(_ key: some CacheableKey) {
        bytes = key.bytes
        digest = KeyDigest(of: bytes)
    }
}
