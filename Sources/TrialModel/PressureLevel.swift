/// The level of memory pressure when a phase begins.
@usableFromInline
package enum PressureLevel: String, Codable, Hashable, Sendable, CaseIterable, CellValue {
    case normal, warning, critical, background
}
