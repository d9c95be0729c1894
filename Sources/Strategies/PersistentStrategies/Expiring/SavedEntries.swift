import CacheStrategies
public import Foundation
import Locks

/// The encoded form of an ``ExpiringCache``: entries, their remaining lifetimes, and the date of saving.
@usableFromInline
struct SavedEntries<Key: Codable & Hashable & Sendable, Value: Codable & Sendable> {
    @usableFromInline
    let savedAt: Date
    /// The entry that expires first is in front.
    @usableFromInline
    let entries: [SavedEntry<Key, Value>]

    @inlinable
    init(savedAt: Date, entries: [SavedEntry<Key, Value>]) {
        self.savedAt = savedAt
        self.entries = entries
    }

    /// The time that has passed since saving, from 0 to a hundred years. A date that went back counts as no time.
    @usableFromInline
    func elapsed(until date: Date) -> Duration {
        let seconds = date.timeIntervalSince(savedAt)
        guard seconds > 0 else { return .zero }
        return .seconds(min(seconds, Double(Duration.longestLifetime.components.seconds)))
    }
}

/// An entry in its encoded form.
@usableFromInline
struct SavedEntry<Key: Codable & Hashable & Sendable, Value: Codable & Sendable> {
    @usableFromInline
    let key: Key
    @usableFromInline
    let value: Value
    @usableFromInline
    let cost: Int
    /// An integer: a floating-point value could decode to a number that no duration can hold.
    @usableFromInline
    let nanosecondsLeft: Int64

    /// An entry with its remaining lifetime, at most ``Duration/longestLifetime``.
    init(_ node: ExpiryNode<Key, Value>, timeLeft: Duration) {
        key = node.key
        value = node.value
        cost = node.cost
        let (seconds, attoseconds) = min(timeLeft, .longestLifetime).components
        nanosecondsLeft = seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }

    /// An entry from its encoded form.
    @inlinable
    init(key: Key, value: Value, cost: Int, nanosecondsLeft: Int64) {
        self.key = key
        self.value = value
        self.cost = cost
        self.nanosecondsLeft = nanosecondsLeft
    }

    @inlinable
    var timeLeft: Duration { .nanoseconds(nanosecondsLeft) }
}

extension Duration {
    /// A hundred years: its nanoseconds fit an `Int64`, and no sum with a clock's reading overflows.
    @usableFromInline
    static var longestLifetime: Duration { .seconds(100 * 366 * 24 * 60 * 60) }
}

/// ``SavedEntries`` as bytes, column by column: a coder that looks up four names for each entry takes ten times as
/// long. Strings and bytes are stored unchanged; other keys and values as one JSON array for all.
///
/// | offset | bytes | holds |
/// | --- | --- | --- |
/// | 0 | 1 | layout, 1 |
/// | 1 | 8 | the date: the bit pattern of a number of seconds since 2001 |
/// | 9 | 8 | n, the number of entries |
/// | 17 | 16 n | for each entry its cost, and its remaining nanoseconds |
///
/// The keys follow, then the values, each as: 1 byte of kind; for 0, JSON: 8 bytes of length and the array; for 1,
/// bytes: 8 n bytes of lengths, then the bytes themselves. All numbers have the least significant byte first.
@usableFromInline
struct SavedColumns {
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

    private let savedAt: Date
    /// The numbers of each entry.
    @usableFromInline
    let figures: [(cost: Int, nanosecondsLeft: Int64)]
    private let rest: Rest

    /// Checks the saved bytes. Every length is checked before it is used.
    @usableFromInline
    init(_ content: SavedContent) throws {
        var rest = Rest(content.bytes)
        guard try rest.byte() == Self.layout else { throw Malformed(what: "an unknown layout") }
        savedAt = Date(timeIntervalSinceReferenceDate: Double(bitPattern: try rest.number()))
        guard savedAt.timeIntervalSinceReferenceDate.isFinite else {
            throw Malformed(what: "a date that is not a finite number")
        }
        let count = try rest.count(of: 16)
        var figures: [(cost: Int, nanosecondsLeft: Int64)] = []
        figures.reserveCapacity(count)
        for _ in 0..<count {
            figures.append((Int(Int64(bitPattern: try rest.number())), Int64(bitPattern: try rest.number())))
        }
        self.figures = figures
        self.rest = rest
    }

    /// The decoded entries. O(n). Throws when they are malformed.
    @inlinable
    func entries<Key, Value>() throws -> SavedEntries<Key, Value> {
        let (first, second, savedAt) = try columns()
        let keys: [Key] = try items(first)
        let values: [Value] = try items(second)
        var entries: [SavedEntry<Key, Value>] = []
        entries.reserveCapacity(figures.count)
        for place in figures.indices {
            entries.append(
                SavedEntry(
                    key: keys[place], value: values[place], cost: figures[place].cost,
                    nanosecondsLeft: figures[place].nanosecondsLeft))
        }
        return SavedEntries(savedAt: savedAt, entries: entries)
    }

    /// An encoded column.
    @usableFromInline
    enum Column {
        case json(Data)
        case plain([Data])
    }

    /// The columns of the keys and of the values, and the date.
    @usableFromInline
    func columns() throws -> (Column, Column, Date) {
        var rest = rest
        let columns = (try column(&rest), try column(&rest), savedAt)
        guard rest.isEmpty else { throw Malformed(what: "bytes after its last column") }
        return columns
    }

    private func column(_ rest: inout Rest) throws -> Column {
        switch try rest.byte() {
        case Self.json: return .json(try rest.bytes(try rest.count(of: 1)))
        case Self.plain:
            let lengths = try figures.map { _ in Int(clamping: try rest.number()) }
            return .plain(try lengths.map { try rest.bytes($0) })
        default: throw Malformed(what: "a column of an unknown kind")
        }
    }

    /// The keys or values of a column, as many as there are entries.
    @inlinable
    func items<Item: Decodable>(_ column: Column) throws -> [Item] {
        let items: [Item]?
        switch column {
        case .json(let text): items = try JSONDecoder().decode([Item].self, from: text)
        case .plain(let parts): items = try (parts as? [Item]) ?? (Self.texts(parts) as? [Item])
        }
        guard let items, items.count == figures.count else {
            throw Malformed(what: "keys or values of another type or number")
        }
        return items
    }

    @usableFromInline
    static func texts(_ parts: [Data]) throws -> [String] {
        try parts.map {
            // Foundation's initialiser removes a byte order mark.
            let text = String(decoding: $0, as: UTF8.self)
            guard text.utf8.elementsEqual($0) else { throw Malformed(what: "a string that is not valid UTF-8") }
            return text
        }
    }

    /// A fault of bytes whose checksum is right: another program wrote them, or other types.
    @usableFromInline
    struct Malformed: Error, CustomStringConvertible {
        let what: String
        @usableFromInline
        var description: String { "it has \(what)" }

        @usableFromInline
        init(what: String) { self.what = what }
    }

    /// The bytes that are not read yet.
    private struct Rest {
        private let bytes: Data
        private var place: Int

        init(_ bytes: Data) {
            self.bytes = bytes
            place = bytes.startIndex
        }

        var isEmpty: Bool { place == bytes.endIndex }

        mutating func bytes(_ count: Int) throws -> Data {
            guard count >= 0, count <= bytes.endIndex - place else {
                throw Malformed(what: "fewer bytes than it states")
            }
            defer { place += count }
            return bytes.subdata(in: place..<place + count)
        }

        mutating func byte() throws -> UInt8 {
            guard !isEmpty else { throw Malformed(what: "fewer bytes than it states") }
            defer { place += 1 }
            return bytes[place]
        }

        mutating func number() throws -> UInt64 {
            guard bytes.endIndex - place >= 8 else { throw Malformed(what: "fewer bytes than it states") }
            defer { place += 8 }
            let offset = place - bytes.startIndex
            return UInt64(
                littleEndian: bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: UInt64.self) })
        }

        /// Reads a number of items, for each of which `byteCount` bytes must follow.
        mutating func count(of byteCount: Int) throws -> Int {
            guard let count = Int(exactly: try number()), count <= (bytes.endIndex - place) / byteCount else {
                throw Malformed(what: "fewer bytes than it states")
            }
            return count
        }
    }
}

/// The content of a file of saved entries, after its header.
@usableFromInline
struct SavedContent {
    @usableFromInline
    let bytes: Data

    /// Reads the file.
    @usableFromInline
    init(of file: URL) throws {
        try self.init(
            of: file, layer: POSIXFileLayer(directory: file.deletingLastPathComponent(), creating: false))
    }

    init(of file: URL, layer: any FileLayer) throws {
        bytes = try SavedFile(file, layer: layer).read()
    }
}

/// A file that is written as a whole, and read either exactly as it was written or not at all.
///
/// | offset | bytes | holds |
/// | --- | --- | --- |
/// | 0 | 8 | magic, `CTSAVED` and a line feed |
/// | 8 | 8 | bytes of the content, the least significant byte first |
/// | 16 | 4 | CRC-32 of the 16 bytes before and of the content |
///
/// The content follows; then the file ends.
struct SavedFile {
    private static let magic = Data("CTSAVED\n".utf8)
    private static let headerByteCount = 20

    private let folder: EntryFolder
    private let file: URL
    private var name: String { file.lastPathComponent }
    private var temporary: String { name + ".saving" }

    /// - Parameters:
    ///   - file: the file.
    ///   - layer: the layer of its folder.
    init(_ file: URL, layer: any FileLayer) {
        self.file = file
        folder = EntryFolder(layer: layer)
    }

    /// Replaces the file by one with this content.
    func write(_ content: Data) throws(FileLayerError) {
        let result = SavingTurn.taken {
            Result { () throws(FileLayerError) in
                try folder.replace(name, temporary: temporary, with: [Self.header(content), content])
            }
        }
        try result.get()
    }

    /// Reads the content, and removes the leftover of an interrupted write.
    func read() throws -> Data {
        SavingTurn.taken { try? folder.remove(temporary) }
        do {
            return try contents()
        } catch {
            if case .unreadable(let error) = error { throw error }
            throw DiskCacheError.damaged(file: file.path, reason: "its header, checksum or length is wrong: \(error)")
        }
    }

    private func contents() throws(EntryFault) -> Data {
        let (open, size) = try folder.open(name)
        defer { try? folder.layer.close(open) }
        guard size >= Self.headerByteCount else { throw .wrongSize }
        let header = try folder.readAll(Self.headerByteCount, from: open)
        // Before memory is taken for the content: a damaged file may have any length.
        guard header.starts(with: Self.front(size - Self.headerByteCount)) else { throw .wrongSize }
        let content = try folder.readAll(size - Self.headerByteCount, from: open)
        guard header == Self.header(content) else { throw .wrongBodyChecksum }
        return content
    }

    /// The bytes of the header that depend only on the length of the content.
    private static func front(_ contentByteCount: Int) -> Data {
        var front = magic
        withUnsafeBytes(of: UInt64(contentByteCount).littleEndian) { front.append(contentsOf: $0) }
        return front
    }

    private static func header(_ content: Data) -> Data {
        var header = front(content.count)
        let checksum = Checksum.of(content, continuing: Checksum.of(header))
        withUnsafeBytes(of: checksum.littleEndian) { header.append(contentsOf: $0) }
        return header
    }
}

/// Runs the saves of a process one after the other: they share a temporary name.
private enum SavingTurn {
    private static let lock = Lock()

    static func taken<Result>(_ body: () throws -> Result) rethrows -> Result {
        try lock.withLock(body)
    }
}
