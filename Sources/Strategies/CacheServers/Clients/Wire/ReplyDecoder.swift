package import NIOCore

/// Turns the bytes of a connection into replies, however the network has split them.
package protocol ReplyDecoder: Sendable {
    associatedtype Reply: Sendable

    init()

    /// Takes received bytes.
    mutating func append(_ bytes: ByteBuffer)

    /// The next whole reply; `nil` until more bytes have arrived.
    ///
    /// - Throws: ``WireError``. Afterwards the decoder is unusable: where the next reply begins is unknown.
    mutating func next() throws(WireError) -> Reply?
}

/// Bytes that are not a reply.
package struct WireError: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) { self.description = description }
}

/// The bytes that a decoder has received and not used yet.
struct WireInput: Sendable {
    private var bytes = ByteBuffer()
    /// How far the current line has been searched for its end.
    private var searched = 0

    /// The longest line; lines are short in both protocols.
    static let lineByteCountMax = 64 << 10

    /// The memory that is kept, in bytes.
    var keptByteCount: Int { bytes.storageCapacity }

    mutating func append(_ new: ByteBuffer) {
        if bytes.readableBytes == 0 {
            bytes = new
        } else {
            var new = new
            if bytes.readerIndex >= bytes.readableBytes {
                // Gives back the bytes that were used, before they outweigh the others: linear in all bytes.
                var rest = ByteBufferAllocator().buffer(capacity: bytes.readableBytes + new.readableBytes)
                rest.writeBuffer(&bytes)
                bytes = rest
            }
            bytes.writeBuffer(&new)
        }
    }

    /// The next line without its `\r\n`; `nil` while its end is missing. Every byte is searched once.
    mutating func line() throws(WireError) -> ByteBuffer? {
        let view = bytes.readableBytesView
        let start = view.startIndex + searched
        guard let end = view[start...].firstIndex(of: UInt8(ascii: "\n")) else {
            searched = view.count
            guard view.count <= Self.lineByteCountMax else {
                throw WireError("a line of more than \(Self.lineByteCountMax) bytes")
            }
            return nil
        }
        searched = 0
        let count = end - view.startIndex
        guard count > 0, count <= Self.lineByteCountMax, view[end - 1] == UInt8(ascii: "\r") else {
            throw WireError("a line that doesn't end with CR and LF, or is too long")
        }
        let line = bytes.readSlice(length: count - 1)
        bytes.moveReaderIndex(forwardBy: 2)
        return line
    }

    /// A block of a known length and its `\r\n`; `nil` while some of it is missing.
    mutating func block(_ count: Int) throws(WireError) -> ByteBuffer? {
        let (whole, overflows) = count.addingReportingOverflow(2)
        guard !overflows, count >= 0 else { throw WireError("a block of \(count) bytes") }
        guard bytes.readableBytes >= whole, let block = bytes.readSlice(length: count) else { return nil }
        guard bytes.readBytes(length: 2) == [UInt8(ascii: "\r"), UInt8(ascii: "\n")] else {
            throw WireError("a block of \(count) bytes that doesn't end with CR and LF")
        }
        return block
    }
}

/// A whole number in decimal digits, as both protocols write them; `nil` for anything else.
func decimal(_ bytes: some Collection<UInt8>) -> Int? {
    guard !bytes.isEmpty, bytes.count <= 20 else { return nil }
    let text = String(decoding: bytes, as: UTF8.self)
    guard !text.hasPrefix("+") else { return nil }
    return Int(text)
}
