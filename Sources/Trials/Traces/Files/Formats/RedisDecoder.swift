/// What `redis-cli MONITOR` prints, a command a line: `1339518083.107412 [0 127.0.0.1:60866] "set" "x" "value"`.
///
/// Commands that look up, write or remove keys are requests, one for each of their keys; all others are left out, and
/// counted by name. The size of a write is that of its value, and the lifetime that of `EX`, `PX`, `EXAT`, `PXAT`, `SETEX`
/// and `PSETEX`; other requests have the size 0, and so take the last known one. A lifetime that is set later, as by
/// `EXPIRE`, is left out. Keys of another database than 0 begin with its number. Source: the documentation of Redis, MONITOR.
struct RedisDecoder: TraceDecoder {
    let columns: TraceColumns
    let keyTexts: KeyTextTable?
    /// Requests of the last line that did not fit into the block, the next one last.
    private var waiting: [(key: [UInt8], request: TraceRequest)] = []
    /// How often each command was left out.
    private var leftOut: [String: Int] = [:]
    /// The most names in ``ignored``, and the most that are counted.
    private static let (namedCountMax, leftOutCountMax) = (8, 500)

    /// Lost lifetimes first, then by number.
    var ignored: [String] {
        func rank(_ item: (key: String, value: Int)) -> Int { item.key.contains("EXPIRE") ? .max : item.value }
        let ranked = leftOut.sorted { (rank($1), $0.key) < (rank($0), $1.key) }
        let others = ranked.dropFirst(Self.namedCountMax).reduce(0) { $0 + $1.value }
        return ["client"] + ranked.prefix(Self.namedCountMax).map { "\($0.key) \($0.value)" }
            + (others > 0 ? ["other commands \(others)"] : [])
    }

    init(columns: TraceColumns, keyTexts: KeyTextTable?) { (self.columns, self.keyTexts) = (columns, keyTexts) }

    mutating func decode(from window: ByteWindow, into block: inout TraceBlock, limit: Int) throws(TraceFault) {
        while block.keys.count < limit {
            if let (key, request) = waiting.popLast() {
                let copied: Result<Void, TraceFault> = key.withUnsafeBytes { text in
                    do throws(TraceFault) {
                        return .success(try keyTexts?.append(text, to: &block.keys, window) ?? ())
                    } catch { return .failure(error) }
                }
                try copied.get()
                block.appendColumns(of: request)
                continue
            }
            guard let line = try window.nextLine() else { return }
            if line.isEmpty || line.elementsEqual("OK".utf8) { continue }
            guard let command = RedisCommand(line) else {
                throw window.fault(
                    .notARecord(
                        found: Excerpt.of(line), allowed: #"a command, as 1339518083.1 [0 10.0.0.1:60866] "get" "x""#))
            }
            waiting = command.requests.reversed()
            if let name = waiting.isEmpty ? command.name.uppercased() : command.lostLifetime {
                let isNamed = leftOut[name] != nil || leftOut.count < Self.leftOutCountMax && command.hasPlainName
                leftOut[isNamed ? name : "commands with other names", default: 0] += 1
            }
        }
    }

    /// Whether a line is one that MONITOR prints.
    static func isRecord(_ line: UnsafeRawBufferPointer) -> Bool {
        line.elementsEqual("OK".utf8) || RedisCommand(line) != nil
    }
}

/// A line of MONITOR.
private struct RedisCommand {
    let nanoseconds: UInt64
    /// The database, and a colon; empty for database 0.
    let prefix: [UInt8]
    /// The command in lower case, and its arguments.
    let words: [Word]

    /// A word in quotes. Its escapes stay, because MONITOR writes every key in one way.
    struct Word {
        var text: [UInt8]
        /// The number of bytes without escapes.
        var byteCount = 0
    }

    /// `nil` for a line of another form.
    init?(_ line: UnsafeRawBufferPointer) {
        var fields = BlankSeparatedFields(line: line)
        let time = fields.next()
        let database = fields.next()
        guard let nanoseconds = try? Digits.nanoseconds(time, unit: 1_000_000_000), database.first == 0x5B,
            let number = try? Digits.number(UnsafeRawBufferPointer(rebasing: database.dropFirst())),
            // The address of a client may have brackets of its own.
            let close = line.indices.dropLast(2).first(where: {
                line[$0] == 0x5D && line[$0 + 1] == 0x20 && line[$0 + 2] == 0x22
            }),
            let words = Self.words(UnsafeRawBufferPointer(rebasing: line[(close + 2)...])), !words.isEmpty
        else { return nil }
        self.nanoseconds = nanoseconds
        prefix = number == 0 ? [] : Array("\(number):".utf8)
        let name = words[0].text.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
        self.words = [Word(text: name)] + words.dropFirst()
    }

    /// Words in double quotes, separated by blanks; `nil` where one is not closed.
    private static func words(_ text: UnsafeRawBufferPointer) -> [Word]? {
        var words: [Word] = []
        var index = 0
        while index < text.count {
            guard text[index] == 0x22 else { return nil }
            index += 1
            let start = index
            var count = 0
            while index < text.count, text[index] != 0x22 {
                // `\xHH` or two bytes.
                let isHex = index + 1 < text.count && text[index + 1] == 0x78
                index += text[index] != 0x5C ? 1 : isHex ? 4 : 2
                count += 1
            }
            guard index < text.count else { return nil }
            words.append(Word(text: Array(text[start..<index]), byteCount: count))
            index += 1
            guard index == text.count || text[index] == 0x20 else { return nil }
            index += 1
        }
        return words
    }

    /// Commands with one key. Those that change a part of a value look it up, because its size is not known.
    private static let reads: Set<String> = [
        "get", "getex", "getrange", "substr", "strlen", "getbit", "bitcount", "bitpos", "append", "setrange", "setbit",
        "incr", "decr", "incrby", "decrby", "incrbyfloat", "dump",
        "hget", "hmget", "hgetall", "hkeys", "hvals", "hexists", "hlen", "hstrlen", "hscan", "hrandfield", "hset",
        "hmset",
        "hsetnx", "hincrby", "hincrbyfloat", "hdel",
        "lrange", "llen", "lindex", "lpos", "lset", "linsert", "lrem", "ltrim", "lpush", "lpushx", "rpush", "rpushx",
        "lpop", "rpop",
        "smembers", "sismember", "smismember", "scard", "srandmember", "sscan", "sadd", "srem", "spop",
        "zrange", "zrangebyscore", "zrangebylex", "zrevrange", "zrevrangebyscore", "zrevrangebylex", "zscore",
        "zmscore",
        "zcard", "zcount", "zlexcount", "zrank", "zrevrank", "zrandmember", "zscan", "zadd", "zrem", "zincrby",
        "zpopmin",
        "zpopmax", "zremrangebyscore", "zremrangebyrank", "zremrangebylex",
        "geoadd", "geopos", "geodist", "geohash", "geosearch", "pfadd", "xadd", "xlen", "xrange", "xrevrange",
    ]
    /// Commands with keys to the end of the line.
    private static let manyReads: Set<String> = ["mget", "exists", "touch", "sinter", "sunion", "sdiff", "pfcount"]
    private static let writes: Set<String> = ["set", "setex", "psetex", "setnx", "getset"]
    private static let removals: Set<String> = ["del", "unlink", "getdel"]

    /// In lower case.
    var name: String { String(decoding: words[0].text, as: UTF8.self) }

    /// Whether its name can be shown.
    var hasPlainName: Bool {
        words[0].text.count <= 32
            && words[0].text.allSatisfy { (0x61...0x7A).contains($0) || (0x2D...0x39).contains($0) }
    }

    /// The command and its option, where that gives a lifetime that is not read.
    var lostLifetime: String? {
        let (name, options) = (name, words.dropFirst(2).map { String(decoding: $0.text, as: UTF8.self).uppercased() })
        if name == "getex" { return options.first.map { "GETEX \($0.prefix(8))" } }
        return name == "set" && options.dropFirst().contains("KEEPTTL") ? "SET KEEPTTL" : nil
    }

    /// The requests for its keys, in their order.
    var requests: [(key: [UInt8], request: TraceRequest)] {
        let name = name
        let arguments = words.dropFirst()
        func request(_ key: Word, _ operation: TraceOperation, size: Int = 0) -> (
            key: [UInt8], request: TraceRequest
        ) {
            let request = TraceRequest(
                key: 0, timeNanoseconds: nanoseconds, size: UInt64(clamping: size), operation: operation,
                lifetimeSeconds: operation == .write ? lifetime(name) : nil)
            return (prefix + key.text, request)
        }
        guard let first = arguments.first else { return [] }
        if Self.reads.contains(name) { return [request(first, .read)] }
        if Self.manyReads.contains(name) { return arguments.map { request($0, .read) } }
        if Self.removals.contains(name) { return arguments.map { request($0, .remove) } }
        if name == "mset" || name == "msetnx" {
            let pairs = Array(arguments)
            return stride(from: 0, to: pairs.count - 1, by: 2).map {
                request(pairs[$0], .write, size: pairs[$0 + 1].byteCount)
            }
        }
        guard Self.writes.contains(name) else { return [] }
        return [request(first, .write, size: valueSize(name))]
    }

    /// The bytes of the value that is written.
    private func valueSize(_ name: String) -> Int {
        let place = name == "setex" || name == "psetex" ? 3 : 2
        return words.count > place ? words[place].byteCount : 0
    }

    /// In seconds, rounded up; `nil` where the value may be kept for ever.
    private func lifetime(_ name: String) -> UInt32? {
        func number(_ word: Word) -> UInt64? { word.text.withUnsafeBytes { try? Digits.number($0) } }
        var (count, unit): (UInt64?, String) = (nil, "")
        if name == "setex" || name == "psetex", words.count > 2 {
            (count, unit) = (number(words[2]), name == "psetex" ? "px" : "ex")
        } else if name == "set", words.count > 4 {
            for index in 3..<(words.count - 1) {
                let option = String(decoding: words[index].text, as: UTF8.self).lowercased()
                if ["ex", "px", "exat", "pxat"].contains(option) { (count, unit) = (number(words[index + 1]), option) }
            }
        }
        guard let count else { return nil }
        var milliseconds = unit.hasPrefix("p") ? count : min(count, .max / 1_000) * 1_000
        // A value whose end is past is not kept for ever, which a lifetime of 0 would be.
        if unit.hasSuffix("at") { milliseconds = max(1, milliseconds - min(milliseconds, nanoseconds / 1_000_000)) }
        return UInt32(clamping: milliseconds / 1_000 + (milliseconds % 1_000 > 0 ? 1 : 0))
    }
}
