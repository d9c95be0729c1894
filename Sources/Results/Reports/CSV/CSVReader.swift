/// One record of a CSV file.
package struct CSVRecord: Hashable, Sendable {
    /// The line the record starts on, from 1.
    package var line: Int
    /// The fields, without their quotes.
    package var fields: [String]
}

/// The line and the reason why a file is not CSV.
package struct CSVError: Error, Hashable, Sendable {
    /// The line number, from 1.
    package var line: Int
    /// What was found, in a sentence without a full stop.
    package var problem: String

    package init(line: Int, problem: String) {
        self.line = line
        self.problem = problem
    }
}

/// Reads RFC 4180 strictly, from bytes: a file that another reader could understand differently is an error.
///
/// Lines may end in CR LF or in LF alone, as version control leaves them. A byte order mark in front is skipped. Time
/// and memory are linear in the size of the file.
package struct CSVReader {
    /// What an unfinished last line means.
    package enum Ending: Sendable {
        /// The last line may lack its end, as RFC 4180 allows; a field that is cut inside its quotes is an error.
        case complete
        /// A last line without its end was cut off while it was written, and is left out. It is an error if that line
        /// spans several lines or is longer than ``CSVReader/tornLimit`` bytes: a stray quote makes the rest of a file
        /// one field.
        case torn
    }

    /// The longest unfinished line that is left out, in bytes.
    package static let tornLimit = 65_536

    /// What a file held.
    package struct Contents: Hashable, Sendable {
        /// The records in order, the header included.
        package var records: [CSVRecord]
        /// Whether an unfinished last line was left out.
        package var isTorn: Bool
    }

    /// The records of a file.
    ///
    /// - Throws: ``CSVError`` at the first byte that does not belong.
    package static func read(_ bytes: [UInt8], ending: Ending = .complete) throws(CSVError) -> Contents {
        var records: [CSVRecord] = []
        let isTorn = try read(bytes, ending: ending) { records.append($0) }
        return Contents(records: records, isTorn: isTorn)
    }

    /// Passes the records of a file to a closure one by one, so that a large file is never completely in memory as
    /// records.
    ///
    /// - Returns: whether an unfinished last line was left out.
    /// - Throws: ``CSVError`` at the first byte that does not belong, and what `record` throws.
    package static func read(
        _ bytes: [UInt8], ending: Ending = .complete, record: (CSVRecord) throws(CSVError) -> Void
    ) throws(CSVError) -> Bool {
        var reader = CSVReader(bytes: bytes, ending: ending)
        return try reader.run(record)
    }

    /// The records of a text.
    package static func read(_ text: String, ending: Ending = .complete) throws(CSVError) -> Contents {
        try read(Array(text.utf8), ending: ending)
    }

    private let bytes: [UInt8]
    private let ending: Ending
    private var position = 0
    private var line = 1

    private init(bytes: [UInt8], ending: Ending) {
        self.bytes = bytes
        self.ending = ending
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    }

    /// What follows a field.
    private enum Separator {
        case comma, lineEnd, fileEnd
    }

    /// Returns whether an unfinished last line was left out.
    private mutating func run(_ record: (CSVRecord) throws(CSVError) -> Void) throws(CSVError) -> Bool {
        while position < bytes.count {
            let start = line
            let startPosition = position
            var fields: [String] = []
            var separator = Separator.comma
            while case .comma = separator {
                guard let field = try readField() else { return try torn(from: startPosition, line: start) }
                fields.append(field.text)
                separator = field.separator
            }
            if case .fileEnd = separator, ending == .torn { return try torn(from: startPosition, line: start) }
            try record(CSVRecord(line: start, fields: fields))
        }
        return false
    }

    private func torn(from start: Int, line: Int) throws(CSVError) -> Bool {
        guard self.line == line, bytes.count - start <= Self.tornLimit else {
            throw CSVError(line: line, problem: "a line that never ends; is there a quote too many?")
        }
        return true
    }

    /// The next field and what ends it; `nil` when the file ends inside the field and ``Ending/torn`` allows that.
    private mutating func readField() throws(CSVError) -> (text: String, separator: Separator)? {
        guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else { return try readPlainField() }
        let start = line
        position += 1
        var content: [UInt8] = []
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            if byte != UInt8(ascii: "\"") {
                if byte == UInt8(ascii: "\n") { line += 1 }
                content.append(byte)
            } else if position < bytes.count, bytes[position] == UInt8(ascii: "\"") {
                position += 1
                content.append(byte)
            } else {
                guard let separator = try readSeparator() else { return nil }
                return (try text(of: content[...], line: start), separator)
            }
        }
        if ending == .torn { return nil }
        throw CSVError(line: start, problem: "a quoted field that never ends")
    }

    private mutating func readPlainField() throws(CSVError) -> (text: String, separator: Separator)? {
        let start = position
        while position < bytes.count {
            let byte = bytes[position]
            if byte == UInt8(ascii: ",") || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") { break }
            if byte == UInt8(ascii: "\"") {
                throw CSVError(line: line, problem: "a quote inside a field that does not start with one")
            }
            position += 1
        }
        let content = bytes[start..<position]
        let startLine = line
        guard let separator = try readSeparator() else { return nil }
        // A cut may fall inside a character, so the torn line is left out before its text is checked.
        if case .fileEnd = separator, ending == .torn { return nil }
        return (try text(of: content, line: startLine), separator)
    }

    private mutating func readSeparator() throws(CSVError) -> Separator? {
        guard position < bytes.count else { return .fileEnd }
        let byte = bytes[position]
        position += 1
        switch byte {
        case UInt8(ascii: ","):
            return .comma
        case UInt8(ascii: "\n"):
            line += 1
            return .lineEnd
        case UInt8(ascii: "\r"):
            guard position < bytes.count else {
                if ending == .torn { return nil }
                throw CSVError(line: line, problem: "a carriage return without a line feed")
            }
            guard bytes[position] == UInt8(ascii: "\n") else {
                throw CSVError(line: line, problem: "a carriage return without a line feed")
            }
            position += 1
            line += 1
            return .lineEnd
        default:
            throw CSVError(line: line, problem: "text after the closing quote of a field")
        }
    }

    private func text(of content: ArraySlice<UInt8>, line: Int) throws(CSVError) -> String {
        guard let text = String(validating: content, as: UTF8.self) else {
            throw CSVError(line: line, problem: "bytes that are not UTF-8")
        }
        return text
    }
}
