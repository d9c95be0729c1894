import Foundation

/// ``SavedEntries`` as bytes: a column after the other, because a coder that looks up four names for each entry takes ten
/// times as long. Texts and bytes stand as they are; other keys and values as one JSON array of all.
///
/// | offset | bytes | holds |
/// | --- | --- | --- |
/// | 0 | 1 | layout, 1; a file of before has JSON here, which begins with a brace |
/// | 1 | 8 | the date, as the bits of a number of seconds since 2001 |
/// | 9 | 8 | n, the number of entries |
/// | 17 | 16 n | of each entry its cost, and the nanoseconds it has left |
///
/// The keys follow, then the values, each as: 1 byte of kind; for 0, JSON: 8 bytes of length and the array; for 1, bytes:
/// 8 n bytes of lengths and what they say. All numbers have the least significant byte first.
enum SavedColumns {
    static let layout: UInt8 = 1
    private static let json: UInt8 = 0
    private static let plain: UInt8 = 1

    /// The bytes of entries. O(n).
    static func encode<Key, Value>(_ saved: SavedEntries<Key, Value>) throws -> Data {
        var bytes = Data([layout])
        append(saved.savedAt.timeIntervalSinceReferenceDate.bitPattern, to: &bytes)
        append(UInt64(saved.entries.count), to: &bytes)
        for entry in saved.entries {
            append(UInt64(bitPattern: Int64(entry.cost)), to: &bytes)
            append(UInt64(bitPattern: entry.nanosecondsLeft), to: &bytes)
        }
        try append(saved.entries.map(\.key), to: &bytes)
        try append(saved.entries.map(\.value), to: &bytes)
        return bytes
    }

    private static func append(_ number: UInt64, to bytes: inout Data) {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    private static func append(_ column: [some Encodable], to bytes: inout Data) throws {
        guard let items = (column as? [Data]) ?? (column as? [String])?.map({ Data($0.utf8) }) else {
            let text = try JSONEncoder().encode(column)
            bytes.append(json)
            append(UInt64(text.count), to: &bytes)
            return bytes.append(text)
        }
        bytes.append(plain)
        for item in items { append(UInt64(item.count), to: &bytes) }
        for item in items { bytes.append(item) }
    }

    /// The entries of bytes, or what is wrong with them; every length is looked at before it is used. O(n).
    static func decode<Key, Value>(_ bytes: Data) throws -> SavedEntries<Key, Value> {
        var rest = Rest(bytes)
        guard try rest.byte() == layout else { throw Malformed(what: "another layout") }
        let savedAt = Date(timeIntervalSinceReferenceDate: Double(bitPattern: try rest.number()))
        guard savedAt.timeIntervalSinceReferenceDate.isFinite else { throw Malformed(what: "a date that is none") }
        let count = try rest.count(of: 16)
        var figures: [(cost: Int, nanosecondsLeft: Int64)] = []
        figures.reserveCapacity(count)
        for _ in 0..<count {
            figures.append((Int(Int64(bitPattern: try rest.number())), Int64(bitPattern: try rest.number())))
        }
        let keys: [Key] = try column(count, &rest)
        let values: [Value] = try column(count, &rest)
        guard rest.isEmpty else { throw Malformed(what: "more than was saved") }
        return SavedEntries(
            savedAt: savedAt,
            entries: zip(figures, zip(keys, values)).map { figures, pair in
                SavedEntry(
                    key: pair.0, value: pair.1, cost: figures.cost, nanosecondsLeft: figures.nanosecondsLeft)
            })
    }

    private static func column<Item: Decodable>(_ count: Int, _ rest: inout Rest) throws -> [Item] {
        let items: [Item]
        switch try rest.byte() {
        case json:
            items = try JSONDecoder().decode([Item].self, from: try rest.bytes(try rest.count(of: 1)))
        case plain:
            let lengths = try (0..<count).map { _ in Int(clamping: try rest.number()) }
            let parts = try lengths.map { try rest.bytes($0) }
            guard let read = try (parts as? [Item]) ?? (texts(parts) as? [Item]) else {
                throw Malformed(what: "keys or values of another type")
            }
            items = read
        default: throw Malformed(what: "a column of another kind")
        }
        guard items.count == count else { throw Malformed(what: "\(items.count) keys or values of \(count)") }
        return items
    }

    private static func texts(_ parts: [Data]) throws -> [String] {
        try parts.map {
            // Foundation's initialiser takes a byte order mark away.
            let text = String(decoding: $0, as: UTF8.self)
            guard text.utf8.elementsEqual($0) else { throw Malformed(what: "a text that is none") }
            return text
        }
    }

    /// What is wrong with bytes whose checksum is right: another program wrote them, or other types.
    struct Malformed: Error, CustomStringConvertible {
        let what: String
        var description: String { "it has \(what)" }
    }

    /// Bytes that are not read yet.
    private struct Rest {
        private let bytes: Data
        private var place: Int

        init(_ bytes: Data) {
            self.bytes = bytes
            place = bytes.startIndex
        }

        var isEmpty: Bool { place == bytes.endIndex }

        mutating func bytes(_ count: Int) throws -> Data {
            guard count >= 0, count <= bytes.endIndex - place else { throw Malformed(what: "less than it says") }
            defer { place += count }
            return bytes.subdata(in: place..<place + count)
        }

        mutating func byte() throws -> UInt8 {
            guard !isEmpty else { throw Malformed(what: "less than it says") }
            defer { place += 1 }
            return bytes[place]
        }

        mutating func number() throws -> UInt64 {
            guard bytes.endIndex - place >= 8 else { throw Malformed(what: "less than it says") }
            defer { place += 8 }
            let offset = place - bytes.startIndex
            return UInt64(
                littleEndian: bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: UInt64.self) })
        }

        /// A number of items of which so many bytes each must follow.
        mutating func count(of byteCount: Int) throws -> Int {
            guard let count = Int(exactly: try number()), count <= (bytes.endIndex - place) / byteCount else {
                throw Malformed(what: "less than it says")
            }
            return count
        }
    }
}
