import Foundation

/// A key as the disk level uses it.
struct KeyIdentity: Sendable {
    /// The key's bytes, which its file stores.
    let bytes: Data
    /// The digest of the bytes, which names the file.
    let digest: KeyDigest

    /// - Parameter keyHash: computes what is digested instead of the key's bytes; `nil` for the bytes themselves.
    init(_ key: some CacheableKey, keyHash: (@Sendable (Data) -> Data)? = nil) {
        bytes = key.bytes
        digest = KeyDigest(of: keyHash?(bytes) ?? bytes)
    }
}
