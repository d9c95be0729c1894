extension TraceCompression {
    /// The uncompressed bytes of a file that is packed so.
    func source(of file: FileByteSource) throws(TraceFault) -> any ByteSource {
        switch self {
        case .none: file
        case .gzip: try GzipByteSource(source: file)
        case .xz: try XZByteSource(source: file)
        case .zstd: try ZstdByteSource(source: file)
        }
    }
}
