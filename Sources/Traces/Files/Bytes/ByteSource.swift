/// A source of uncompressed bytes, in order.
protocol ByteSource: AnyObject {
    /// Reads at most as many bytes as the buffer holds; returns 0 only at the end. The buffer is not empty.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws(TraceFault) -> Int
}

/// The input of a decompressor.
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
