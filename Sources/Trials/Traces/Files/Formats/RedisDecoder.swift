/// What `redis-cli MONITOR` prints, a command a line: `1339518083.107412 [0 127.0.0.1:60866] "set" "x" "value"`.
///
/// Commands that look up, write or remove keys are requests, one for each of their keys; all others are left out. The size
/// of a write is that of its value, and the lifetime that of `EX`, `PX`, `SETEX` and `PSETEX`; other requests have
/// the size 0, and so take the last known one. Keys of another database than 0 begin with its number. Source: the documentation of Redis, MONITOR.
struct RedisDecoder: TraceDecoder {
    let columns: TraceColumns
    let keyTexts: KeyTextTable?
    /// Requests of the last line that did not fit into the block, the next one last.
    private var waiting: [(key: [UInt8], request: TraceRequest)] = []

    var ignored: [String] { ["client", "commands without keys"] }

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
        "get", "getex", "getrange", "strlen", "getbit", "append", "setrange", "incr", "decr", "incrby", "decrby",
        "hget", "hmget", "hgetall", "hexists", "hlen", "hset", "hmset", "hsetnx", "hincrby", "hdel",
        "lrange", "llen", "lindex", "lpush", "rpush", "lpop", "rpop",
        "smembers", "sismember", "scard", "sadd", "srem",
        "zrange", "zrangebyscore", "zscore", "zcard", "zrank", "zadd", "zrem", "zincrby",
    ]
    /// Commands with keys to the end of the line.
    private static let manyReads: Set<String> = ["mget", "exists"]
    private static let writes: Set<String> = ["set", "setex", "psetex", "setnx", "getset"]
    private static let removals: Set<String> = ["del", "unlink", "getdel"]

    /// The requests for its keys, in their order.
    var requests: [(key: [UInt8], request: TraceRequest)] {
        let name = String(decoding: words[0].text, as: UTF8.self)
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
        var (count, isMilliseconds): (UInt64?, Bool) = (nil, false)
        if name == "setex" || name == "psetex", words.count > 2 {
            (count, isMilliseconds) = (number(words[2]), name == "psetex")
        } else if name == "set", words.count > 4 {
            for index in 3..<(words.count - 1) {
                let option = String(decoding: words[index].text, as: UTF8.self).lowercased()
                if option == "ex" || option == "px" {
                    (count, isMilliseconds) = (number(words[index + 1]), option == "px")
                }
            }
        }
        guard let count else { return nil }
        return UInt32(clamping: isMilliseconds ? count / 1_000 + (count % 1_000 > 0 ? 1 : 0) : count)
    }
}
