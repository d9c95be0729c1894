/// Uncompressed bytes, one after the other.
protocol ByteSource: AnyObject {
    /// Fills at most the buffer; 0 only at the end. The buffer is not empty.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(TraceFault) -> Int
}

/// What a decompressor was given and did not yet use.
struct CompressedInput: ~Copyable {
    private let source: any ByteSource
    private let buffer: UnsafeMutableRawBufferPointer
    private(set) var isAtEnd = false

    init(source: any ByteSource) {
        self.source = source
        buffer = .allocate(byteCount: 128 << 10, alignment: 16)
    }

    deinit { buffer.deallocate() }

    /// The next bytes; empty at the end.
    mutating func next() throws(TraceFault) -> UnsafeRawBufferPointer {
        let count = try source.read(into: buffer)
        isAtEnd = count == 0
        return UnsafeRawBufferPointer(rebasing: buffer[..<count])
    }
}
