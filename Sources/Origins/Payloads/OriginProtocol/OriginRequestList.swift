package import Foundation
import TrialModel

/// The requests of an origin, listed one by one.
package struct OriginRequestList: Hashable, Sendable {
    /// The requests that have ended, in all phases, in the order of their ends. Empty when the origin keeps no list.
    package var entries: [OriginLogEntry]
    /// The number of requests that did not fit into the list.
    package var droppedCount: UInt64
    /// How many fetches ended with a value on the client's side; `nil` where they were not counted.
    package var answeredFetchCount: UInt64?

    package init(entries: [OriginLogEntry] = [], droppedCount: UInt64 = 0, answeredFetchCount: UInt64? = nil) {
        self.entries = entries
        self.droppedCount = droppedCount
        self.answeredFetchCount = answeredFetchCount
    }

    /// Reads the list that a fixture server sends as CSV. O(bytes).
    ///
    /// It reads byte by byte, because a trial may leave a million lines.
    ///
    /// - Throws: ``Malformed`` when a line does not have the server's format.
    package static func entries(inCSV bytes: Data) throws(Malformed) -> [OriginLogEntry] {
        var entries: [OriginLogEntry] = []
        var fields: [UInt64] = []
        var field: UInt64?
        var fault: [UInt8] = []
        var line = 1
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "\n"):
                if line > 1 { entries.append(try entry(fields, fault: fault, line: line)) }
                line += 1
                fields.removeAll(keepingCapacity: true)
                fault.removeAll(keepingCapacity: true)
            case _ where line == 1, UInt8(ascii: "\r"): continue
            case _ where fields.count == numberCount: fault.append(byte)
            case UInt8(ascii: ","):
                guard let number = field else { throw Malformed(line: line) }
                fields.append(number)
                field = nil
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                let (tens, isTooLarge) = (field ?? 0).multipliedReportingOverflow(by: 10)
                let (sum, isTooLargeNow) = tens.addingReportingOverflow(UInt64(byte - UInt8(ascii: "0")))
                if isTooLarge || isTooLargeNow { throw Malformed(line: line) }
                field = sum
            default: throw Malformed(line: line)
            }
        }
        // The last line ends with a line break, unless the answer was truncated.
        guard line > 1, fields.isEmpty, field == nil, fault.isEmpty else { throw Malformed(line: line) }
        return entries
    }

    /// A line of the list that can't be read.
    package struct Malformed: Error, Hashable, CustomStringConvertible {
        /// The line's number, counted from 1.
        package let line: Int

        package var description: String { "line \(line) of the list of requests can't be read" }
    }

    /// The number of columns before the last one, which names a fault.
    private static let numberCount = 6

    private static func entry(
        _ fields: [UInt64], fault: [UInt8], line: Int
    ) throws(Malformed) -> OriginLogEntry {
        guard fields.count == numberCount, let phase = UInt16(exactly: fields[0]),
            let status = UInt16(exactly: fields[5]), let ending = RequestEnding(rawValue: status)
        else { throw Malformed(line: line) }
        let kind = OriginFaultKind(rawValue: String(decoding: fault, as: UTF8.self))
        guard fault.isEmpty || kind != nil else { throw Malformed(line: line) }
        return OriginLogEntry(
            phase: phase, ending: ending, fault: kind, key: fields[1], version: fields[2], startNanoseconds: fields[3],
            endNanoseconds: fields[4])
    }
}
