public import CacheStrategies
public import Foundation

/// A value for tests: numbered, of any size, counted while it is alive, and decoded strictly.
public final class TrackedValue: CacheableValue {
    /// The error for bytes that are not a document.
    public struct Undecodable: Error {}

    /// The number that tells values apart.
    public let number: Int
    /// The cost of the value, in bytes.
    public let byteCount: Int
    /// The value's own lifetime; `nil` where it has none.
    public let lifetime: Duration?
    private let counter: UInt32
    private let member: InstanceCounter.Member?

    /// A value that is counted from now on.
    public init(number: Int, byteCount: Int, lifetime: Duration? = nil, counter: InstanceCounter) {
        self.number = number
        self.byteCount = byteCount
        self.lifetime = lifetime
        self.counter = counter.number
        member = counter.member()
    }

    /// Decodes what ``encoded()`` wrote, to the last byte.
    ///
    /// - Throws: ``Undecodable`` for other bytes.
    public init(encoded: Data) throws {
        let fields = String(decoding: encoded, as: UTF8.self).split(separator: " ", omittingEmptySubsequences: false)
        guard fields.count == 6, fields[0] == "document", let number = Int(fields[1]), let byteCount = Int(fields[2]),
            let counter = UInt32(fields[3]), byteCount >= 0, fields[5].utf8.count == byteCount,
            let lifetime = fields[4] == "-" ? .some(nil) : Int64(fields[4]).map(Optional.some)
        else { throw Undecodable() }
        self.number = number
        self.byteCount = byteCount
        self.lifetime = lifetime.map { .nanoseconds($0) }
        self.counter = counter
        member = InstanceCounter.numbered(counter)?.member()
    }

    public func encoded() -> Data {
        let lifetime = lifetime.map { String(Int64($0 / .nanoseconds(1))) } ?? "-"
        return Data(
            "document \(number) \(byteCount) \(counter) \(lifetime) \(String(repeating: "x", count: byteCount))".utf8)
    }

    /// Its size.
    public var cost: Int { byteCount }
}
