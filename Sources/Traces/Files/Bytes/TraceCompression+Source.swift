extension TraceCompression {
    /// A source of the uncompressed bytes of a file with this compression.
    func source(of file: FileByteSource) throws(TraceFault) -> any ByteSource {
        switch self {
        case .none: file
        case .gzip: try GzipByteSource(source: file)
        case .xz: try XZByteSource(source: file)
        case .zstd: try ZstdByteSource(source: file)
        }
    }
}
