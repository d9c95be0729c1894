public import Foundation

/// A key as the object that an `NSCache` needs: equal when the keys are equal.
///
/// It never bridges to `NSString` or `NSURL`. On Linux two strings that are canonically equal can have different
/// `NSString` hashes, so that a lookup would succeed only by chance; Swift's own hash and equality agree.
@usableFromInline
final class WrappedKey<Key: Hashable & Sendable>: NSObject, Sendable {
    @usableFromInline
    let key: Key

    @inlinable
    init(_ key: Key) {
        self.key = key
    }

    @inlinable
    override var hash: Int { key.hashValue }

    @inlinable
    override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? WrappedKey<Key> else { return false }
        return other.key == key
    }
}
