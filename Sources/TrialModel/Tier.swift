/// The tier of a multi-tier cache in which a value was found.
@usableFromInline
package enum Tier: String, Codable, Hashable, Sendable, CaseIterable, CellValue {
    case memory, disk, decoded, encoded, server
}
