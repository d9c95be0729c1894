/// A destination for a sequence of bytes.
protocol ByteSink: AnyObject {
    /// Writes all of the bytes.
    func write(_ bytes: UnsafeRawBufferPointer) throws(TraceFault)

    /// Writes buffered bytes; called once, at the end.
    func finish() throws(TraceFault)
}

extension TraceCompression {
    /// A sink that compresses the bytes in this way and writes them to a file.
    func sink(into file: FileByteSink) throws(TraceFault) -> any ByteSink {
        switch self {
        case .none: file
        case .gzip: try GzipByteSink(sink: file)
        case .xz: try XZByteSink(sink: file)
        case .zstd: try ZstdByteSink(sink: file)
        }
    }
}
