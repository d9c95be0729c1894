package import NIOCore

/// A reply of memcached in its classic text protocol.
package enum MemcachedReply: Sendable, Hashable {
    /// The result of `get`; empty for a miss.
    case values([Value])
    /// The result of `stats`.
    case statistics([String: String])
    /// Any other line, such as `STORED`, `DELETED`, `NOT_FOUND`, `OK`, `VERSION 1.6.18`.
    case line(String)
    /// `ERROR`, `CLIENT_ERROR …` or `SERVER_ERROR …`.
    case error(String)

    /// An item that was found.
    package struct Value: Sendable, Hashable {
        package let key: String
        package let bytes: ByteBuffer
    }
}

/// Reads replies of memcached in its classic text protocol. Linear in the bytes, however they are split.
///
/// The source is `doc/protocol.txt` of memcached 1.6. The decoder needs no knowledge of the request: a reply that
/// begins with `VALUE` or `STAT` continues until `END`, and `END` alone is a miss.
package struct MemcachedDecoder: ReplyDecoder {
    /// The largest item that memcached can be configured to hold, 1 GiB.
    static let itemByteCountMax = 1 << 30
    /// The most items or statistics in one reply.
    static let listCountMax = 100_000

    private var input = WireInput()
    private var values: [MemcachedReply.Value] = []
    private var statistics: [String: String] = [:]
    /// The item whose bytes come next.
    private var open: (key: String, byteCount: Int)?

    package init() {}

    package mutating func append(_ bytes: ByteBuffer) { input.append(bytes) }

    package mutating func next() throws(WireError) -> MemcachedReply? {
        while true {
            if let (key, byteCount) = open {
                guard let bytes = try input.block(byteCount) else { return nil }
                values.append(MemcachedReply.Value(key: key, bytes: bytes))
                open = nil
            }
            guard let line = try input.line() else { return nil }
            if let reply = try read(String(buffer: line)) { return reply }
        }
    }

    /// Reads a line; `nil` when the reply continues.
    private mutating func read(_ line: String) throws(WireError) -> MemcachedReply? {
        let isList = !values.isEmpty || !statistics.isEmpty
        let words = line.split(separator: " ", maxSplits: 4)
        switch words.first {
        case "END": return end()
        case "VALUE":
            // `VALUE key flags bytes`, followed by a CAS number where it was requested.
            guard statistics.isEmpty, words.count >= 4, let count = decimal(words[3].utf8),
                (0...Self.itemByteCountMax).contains(count), values.count < Self.listCountMax
            else { throw WireError("'\(line.prefix(40))' doesn't announce a value") }
            open = (String(words[1]), count)
            return nil
        case "STAT":
            guard values.isEmpty, words.count >= 2, statistics.count < Self.listCountMax else {
                throw WireError("'\(line.prefix(40))' is not a statistic")
            }
            statistics[String(words[1])] = words.dropFirst(2).joined(separator: " ")
            return nil
        case "ERROR", "CLIENT_ERROR", "SERVER_ERROR":
            // An error may also come in the middle of a list, and ends it.
            values = []
            statistics = [:]
            return .error(line)
        case nil: throw WireError("an empty line")
        case .some:
            guard !isList else { throw WireError("'\(line.prefix(40))' in the middle of a list") }
            return .line(line)
        }
    }

    private mutating func end() -> MemcachedReply {
        defer {
            values = []
            statistics = [:]
        }
        return statistics.isEmpty ? .values(values) : .statistics(statistics)
    }
}
