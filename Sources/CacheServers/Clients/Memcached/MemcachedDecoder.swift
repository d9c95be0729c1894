package import NIOCore

/// A reply of memcached in its classic text protocol.
package enum MemcachedReply: Sendable, Hashable {
    /// What `get` found; empty for a miss.
    case values([Value])
    /// What `stats` lists.
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

/// Reads replies of memcached in its classic text protocol. Linear in the bytes, however they are cut.
///
/// The source is `doc/protocol.txt` of memcached 1.6. It needs no knowledge of the request: a reply that begins with
/// `VALUE` or `STAT` goes on until `END`, and `END` alone is a miss.
package struct MemcachedDecoder: ReplyDecoder {
    /// The largest item that memcached can be told to hold, 1 GiB.
    static let itemByteCountMax = 1 << 30
    /// Items or statistics in one reply.
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

    /// Reads a line; `nil` when the reply goes on.
    private mutating func read(_ line: String) throws(WireError) -> MemcachedReply? {
        let isList = !values.isEmpty || !statistics.isEmpty
        let words = line.split(separator: " ", maxSplits: 4)
        switch words.first {
        case "END": return end()
        case "VALUE":
            // `VALUE key flags bytes`, and a number more where it was asked for.
            guard statistics.isEmpty, words.count >= 4, let count = decimal(words[3].utf8),
                (0...Self.itemByteCountMax).contains(count), values.count < Self.listCountMax
            else { throw WireError("'\(line.prefix(40))' announces no value") }
            open = (String(words[1]), count)
            return nil
        case "STAT":
            guard values.isEmpty, words.count >= 2, statistics.count < Self.listCountMax else {
                throw WireError("'\(line.prefix(40))' is no statistic")
            }
            statistics[String(words[1])] = words.dropFirst(2).joined(separator: " ")
            return nil
        case "ERROR", "CLIENT_ERROR", "SERVER_ERROR":
            // Also in the middle of a list, which ends with it.
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
