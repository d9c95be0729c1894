package import TrialModel

/// Writes RFC 4180: fields separated by commas, lines ended by CR LF, UTF-8, quotes only where they are needed.
///
/// A field that a spreadsheet would take for a formula (`=`, `+`, `-` or `@` in front) is written unchanged: a changed
/// cell would be a changed measurement. The names in the files are checked to be kebab-case where they are read. Open a
/// folder of unknown origin in a spreadsheet only with formulas off.
package enum CSVWriter {
    /// The line of one record, its end included.
    package static func line(_ fields: [String]) -> String {
        // One empty field alone would be an empty line, which most readers skip.
        if fields == [""] { return "\"\"\r\n" }
        return fields.map(field).joined(separator: ",") + "\r\n"
    }

    /// The line of one row.
    package static func line<Row: ResultRow>(_ row: Row) -> String {
        line(row.cells)
    }

    /// The lines of rows.
    package static func lines<Row: ResultRow>(_ rows: [Row]) -> String {
        rows.map { line($0) }.joined()
    }

    private static func field(_ text: String) -> String {
        // Compares bytes: "\r\n" is one character, which equals neither "\r" nor "\n".
        let needsQuotes = text.utf8.contains { byte in
            switch byte {
            case UInt8(ascii: ","), UInt8(ascii: "\""), UInt8(ascii: "\r"), UInt8(ascii: "\n"): true
            default: false
            }
        }
        guard needsQuotes else { return text }
        var quoted = "\""
        for scalar in text.unicodeScalars {
            if scalar == "\"" { quoted.unicodeScalars.append(scalar) }
            quoted.unicodeScalars.append(scalar)
        }
        return quoted + "\""
    }
}
