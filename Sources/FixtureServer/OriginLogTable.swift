import Origins
import TrialModel

/// The entries of a log as CSV, in the order in which the requests ended.
struct OriginLogTable: Sendable {
    static let header = "phase,key,version,start_ns,end_ns,status,fault\r\n"
    private static let rowCountOfPiece = 1_000

    let entries: [OriginLogEntry]
    /// The phase to list, or `nil` for all.
    let phase: UInt16?

    /// The table in pieces of at most a thousand rows, made on request.
    func pieces() -> some Sequence<String> {
        let starts = stride(from: 0, to: entries.count, by: Self.rowCountOfPiece).lazy
        return [[Self.header], starts.map { piece(from: $0) }].lazy.joined()
    }

    private func piece(from start: Int) -> String {
        var text = ""
        for entry in entries[start..<min(start + Self.rowCountOfPiece, entries.count)]
        where phase == nil || entry.phase == phase {
            text += "\(entry.phase),\(entry.key),\(entry.version),"
            text += "\(entry.startNanoseconds),\(entry.endNanoseconds),\(entry.ending.rawValue),"
            text += "\(entry.fault?.rawValue ?? "")\r\n"
        }
        return text
    }
}
