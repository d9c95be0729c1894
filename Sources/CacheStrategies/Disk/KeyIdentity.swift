import Foundation

/// A key as the disk knows it.
struct KeyIdentity: Sendable {
    /// The key's bytes, which its file holds.
    let bytes: Data
    /// Their digest, which names the file.
    let digest: KeyDigest

    /// - Parameter keyHash: what is digested in place of the key's bytes; `nil` for the bytes themselves.
    init(_ key: some CacheableKey, keyHash: (@Sendable (Data) -> Data)? = nil) {
        bytes = key.bytes
        digest = KeyDigest(of: keyHash?(bytes) ?? bytes)
    }
}
