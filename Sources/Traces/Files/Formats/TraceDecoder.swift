/// Reads one format. It is called for a block at a time, so that its loop over the requests is compiled as one piece.
protocol TraceDecoder {
    /// What the blocks hold: what the trace has, and what is asked for.
    var columns: TraceColumns { get }

    /// The texts that keys are numbers for, when they are.
    var keyTexts: KeyTextTable? { get }

    /// Whether keys were to be numbers, and some were not: those became hashes.
    var hasStrayTexts: Bool { get }

    /// Fills the block with the next requests; leaves it empty only at the end. Keys are right once ``settle(_:)`` was
    /// called.
    ///
    /// - Parameter block: empty, its columns set. After an error it holds the requests before the bad one.
    /// - Throws: a fault at the first record that is bad.
    mutating func decode(from window: ByteWindow, into block: inout TraceBlock, limit: Int) throws(TraceFault)
}

extension TraceDecoder {
    var keyTexts: KeyTextTable? { nil }

    var hasStrayTexts: Bool { false }

    /// Looks up the keys that wait, after each block, whether it ended well or not.
    ///
    /// - Returns: `false` when there are no more numbers.
    func settle(_ keys: inout [UInt64]) -> Bool { keyTexts?.settle(&keys) ?? true }
}

extension TraceFormat {
    /// The decoder of this format.
    ///
    /// - Parameter window: at the beginning of the trace; a header is read from it.
    func decoder(
        for window: ByteWindow, options: TraceReadingOptions
    ) throws(TraceFault) -> any TraceDecoder {
        let columns = options.columns
        return switch self {
        case .arc: ARCDecoder()
        case .lirs: LIRSDecoder()
        case .oracleGeneral: OracleGeneralDecoder(columns: columns.intersection(self.columns))
        case .cache2k: Cache2kDecoder()
        case .keys: KeysDecoder(naming: KeyNaming(options.textKeys))
        case .twitter:
            TwitterDecoder(columns: columns.intersection(self.columns), naming: KeyNaming(options.textKeys))
        case .msr: MSRDecoder(columns: columns.intersection(self.columns))
        case .csv: try CSVDecoder(window: window, separator: 0x2C, isQuoted: true, options: options)
        case .tsv: try CSVDecoder(window: window, separator: 0x09, isQuoted: false, options: options)
        }
    }
}
