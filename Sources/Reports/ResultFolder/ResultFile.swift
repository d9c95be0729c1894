/// The CSV files of a result folder that a run writes.
package enum ResultFile: String, Codable, Hashable, Sendable, CaseIterable {
    case trials = "trials.csv"
    case latency = "latency.csv"
    case hitRate = "hit-rate.csv"
    case memory = "memory.csv"

    /// The names in the header, in order.
    package var columnNames: [String] {
        switch self {
        case .trials: ColumnCatalog.trials.map(\.name)
        case .latency: ColumnCatalog.latency.map(\.name)
        case .hitRate: ColumnCatalog.hitRate.map(\.name)
        case .memory: ColumnCatalog.memory.map(\.name)
        }
    }

    /// The line that the file starts with.
    var header: String { CSVWriter.line(columnNames) }
}
