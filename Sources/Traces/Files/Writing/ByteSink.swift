/// Takes bytes, one after the other.
protocol ByteSink: AnyObject {
    /// Takes all of the bytes.
    func write(_ bytes: UnsafeRawBufferPointer) throws(TraceFault)

    /// Writes what is held back, once, at the end.
    func finish() throws(TraceFault)
}

extension TraceCompression {
    /// Takes bytes and writes them so packed.
    func sink(into file: FileByteSink) throws(TraceFault) -> any ByteSink {
        switch self {
        case .none: file
        case .gzip: try GzipByteSink(sink: file)
        case .xz: try XZByteSink(sink: file)
        case .zstd: try ZstdByteSink(sink: file)
        }
    }
}
