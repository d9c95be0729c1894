import CacheStrategies
package import Foundation

/// A value for tests: numbered, of any size, counted while it is alive, and strict about its bytes.
package final class TrackedDocument: CacheableValue {
    /// Why bytes are no document.
    package struct Undecodable: Error {}

    /// What tells it from others.
    package let number: Int
    /// Its cost.
    package let byteCount: Int
    private let census: UInt32
    private let member: Census.Member?

    package init(number: Int, byteCount: Int, census: Census) {
        self.number = number
        self.byteCount = byteCount
        self.census = census.number
        member = census.member()
    }

    /// Reads what ``encoded()`` wrote, to the last byte.
    package init(encoded: Data) throws {
        let fields = String(decoding: encoded, as: UTF8.self).split(separator: " ", omittingEmptySubsequences: false)
        guard fields.count == 5, fields[0] == "document", let number = Int(fields[1]), let byteCount = Int(fields[2]),
            let census = UInt32(fields[3]), byteCount >= 0, fields[4].utf8.count == byteCount
        else { throw Undecodable() }
        self.number = number
        self.byteCount = byteCount
        self.census = census
        member = Census.numbered(census)?.member()
    }

    package func encoded() -> Data {
        Data("document \(number) \(byteCount) \(census) \(String(repeating: "x", count: byteCount))".utf8)
    }

    package var cost: Int { byteCount }
}
