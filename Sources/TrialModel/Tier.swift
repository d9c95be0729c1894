/// Where a cache found a value, of caches with several places.
@usableFromInline
package enum Tier: String, Codable, Hashable, Sendable, CaseIterable, CellValue {
    case memory, disk, decoded, encoded, server
}
