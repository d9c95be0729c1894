package import NIOCore

/// Reads replies in RESP, version 2.
///
/// Linear in the bytes, however they are split: bytes that were read once are not read again when more arrive. The
/// source is the specification at redis.io, "Redis serialization protocol".
package struct RESPDecoder: ReplyDecoder {
    /// The limits of a reply, so that a broken or hostile server can't exhaust memory or stack.
    package struct Limits: Sendable {
        /// The bytes of a bulk string; a Redis server has the same limit.
        package var bulkByteCount = 512 << 20
        /// The values in a whole reply, including those of nested arrays.
        package var valueCount = 1 << 20
        /// The nesting depth of arrays.
        package var depth = 8
    }

    /// An array whose values have not all arrived yet.
    private struct OpenArray {
        var missing: Int
        var values: [RESPValue] = []
    }

    private var input = WireInput()
    private var arrays: [OpenArray] = []
    /// The length of the bulk string whose bytes come next.
    private var bulkByteCount: Int?
    private var valueCount = 0
    private let limits: Limits

    package init() { self.init(limits: Limits()) }

    package init(limits: Limits) { self.limits = limits }

    package mutating func append(_ bytes: ByteBuffer) { input.append(bytes) }

    package mutating func next() throws(WireError) -> RESPValue? {
        while var value = try token() {
            if case .opened = value { continue }
            while true {
                guard case .value(let whole) = value else { break }
                guard var innermost = arrays.popLast() else {
                    valueCount = 0
                    return whole
                }
                innermost.values.append(whole)
                innermost.missing -= 1
                if innermost.missing > 0 {
                    arrays.append(innermost)
                    break
                }
                value = .value(.array(innermost.values))
            }
        }
        return nil
    }

    private enum Token {
        case value(RESPValue)
        /// A non-empty array began.
        case opened
    }

    /// One value that is not an array, or the beginning of an array; `nil` until more bytes have arrived.
    private mutating func token() throws(WireError) -> Token? {
        if let count = bulkByteCount { return try bulk(count) }
        guard let line = try input.line() else { return nil }
        valueCount += 1
        guard valueCount <= limits.valueCount else {
            throw WireError("a reply of more than \(limits.valueCount) values")
        }
        let view = line.readableBytesView
        guard let kind = view.first else { throw WireError("an empty line where a value begins") }
        let rest = view.dropFirst()
        switch kind {
        case UInt8(ascii: "+"): return .value(.simple(String(decoding: rest, as: UTF8.self)))
        case UInt8(ascii: "-"): return .value(.error(String(decoding: rest, as: UTF8.self)))
        case UInt8(ascii: ":"):
            guard let number = decimal(rest) else { throw WireError("'\(Self.excerpt(view))' is not a number") }
            return .value(.integer(number))
        case UInt8(ascii: "$"):
            guard let count = try length(rest, of: view, max: limits.bulkByteCount) else { return .value(.null) }
            bulkByteCount = count
            return try bulk(count)
        case UInt8(ascii: "*"):
            guard let count = try length(rest, of: view, max: limits.valueCount) else { return .value(.null) }
            return try open(count)
        default: throw WireError("'\(Self.excerpt(view))' doesn't begin with a type marker")
        }
    }

    private mutating func bulk(_ count: Int) throws(WireError) -> Token? {
        guard let bytes = try input.block(count) else { return nil }
        bulkByteCount = nil
        return .value(.bulk(bytes))
    }

    private mutating func open(_ count: Int) throws(WireError) -> Token {
        if count == 0 { return .value(.array([])) }
        guard arrays.count < limits.depth else { throw WireError("arrays in arrays, more than \(limits.depth) deep") }
        arrays.append(OpenArray(missing: count))
        return .opened
    }

    /// A length; `nil` for -1, the length of a null value.
    private func length(_ digits: some Collection<UInt8>, of line: ByteBufferView, max: Int) throws(WireError) -> Int? {
        guard let count = decimal(digits), (-1...max).contains(count) else {
            throw WireError("'\(Self.excerpt(line))': a length from -1 to \(max) is allowed")
        }
        return count < 0 ? nil : count
    }

    /// The beginning of a line, for an error.
    private static func excerpt(_ line: ByteBufferView) -> String {
        String(decoding: line.prefix(40), as: UTF8.self)
    }
}
