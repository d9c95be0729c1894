import Foundation
import TrialModel

/// Tables for programs: CSV and JSON, with values in place of texts.
enum MachineTable {
    static func csv(_ tables: [Table]) -> String {
        let names = columnNames(tables)
        let lines = rows(tables).map { row in CSVWriter.line(names.map { row[$0]?.text ?? "" }) }
        return CSVWriter.line(names) + lines.joined()
    }

    static func json(_ tables: [Table]) -> String {
        let objects = rows(tables).map { row in row.mapValues(JSONValue.init) }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        // Encoding can't fail: the values are texts, whole numbers, finite numbers and null.
        guard let data = try? encoder.encode(objects) else { return "[]\n" }
        return String(decoding: data, as: UTF8.self) + "\n"
    }

    /// The columns of all tables, each once. With several tables, the title comes first.
    private static func columnNames(_ tables: [Table]) -> [String] {
        ((tables.count > 1 ? ["table"] : []) + tables.flatMap { $0.columns.map(\.name) }).distinct
    }

    private static func rows(_ tables: [Table]) -> [[String: TableCell.Value]] {
        tables.flatMap { table in
            table.rows.map { row in
                var values: [String: TableCell.Value] = [:]
                if tables.count > 1 { values["table"] = .text(table.title ?? "") }
                for (column, cell) in zip(table.columns, row) { values[column.name] = cell.value }
                return values
            }
        }
    }
}

/// A cell as a JSON value.
private struct JSONValue: Encodable {
    let value: TableCell.Value

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch value {
        case .text(let text): try container.encode(text)
        case .integer(let number): try container.encode(number)
        case .number(let number, _) where number.isFinite: try container.encode(number)
        case .number, .none: try container.encodeNil()
        }
    }
}
