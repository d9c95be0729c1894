/// How much memory the system wants back when a phase begins.
@usableFromInline
package enum PressureLevel: String, Codable, Hashable, Sendable, CaseIterable, CellValue {
    case normal, warning, critical, background
}
