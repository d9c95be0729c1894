import TrialModel

/// Decodes one format. It is called once for a block, so that its loop over the requests is compiled as one piece.
protocol TraceDecoder {
    /// The columns of the blocks: those that the trace has and the options ask for.
    var columns: TraceColumns { get }

    /// The parts of a record that are not read, by the names that the trace or its format gives them.
    var ignored: [String] { get }

    /// The texts of the keys, by number; `nil` where keys are not numbered texts.
    var keyTexts: KeyTextTable? { get }

    /// Whether keys were read as numbers, and some were not numbers: those became hashes.
    var hasStrayTexts: Bool { get }

    /// Fills the block with the next requests; leaves it empty only at the end. Keys are valid only after a call of
    /// ``settle(_:)``.
    ///
    /// - Parameter block: an empty block with its columns set. After an error it holds the requests before the bad
    ///   one.
    /// - Throws: a fault at the first bad record.
    mutating func decode(from window: ByteWindow, into block: inout TraceBlock, limit: Int) throws(TraceFault)
}

extension TraceDecoder {
    var keyTexts: KeyTextTable? { nil }

    var hasStrayTexts: Bool { false }

    var ignored: [String] { [] }

    /// Looks up the pending keys; called after each block, with or without an error.
    ///
    /// - Returns: `false` when no numbers are left.
    func settle(_ keys: inout [UInt64]) -> Bool { keyTexts?.settle(&keys) ?? true }
}

extension TraceFormat {
    /// The decoder of this format.
    ///
    /// - Parameter window: at the beginning of the trace; a header is read from it.
    func decoder(
        for window: ByteWindow, options: TraceReadingOptions
    ) throws(TraceFault) -> any TraceDecoder {
        let columns = options.columns(of: self.columns)
        return switch self {
        case .arc: ARCDecoder(allowsLongRuns: options.allowsLongRuns)
        case .lirs: LIRSDecoder()
        case .oracleGeneral: OracleGeneralDecoder(columns: columns)
        case .cache2k: Cache2kDecoder()
        case .keys: try KeysDecoder(window: window)
        case .twitter: try TwitterDecoder(columns: columns, keyTexts: KeyTextTable())
        case .msr: try MSRDecoder(window: window, columns: columns, options: options)
        case .redis: try RedisDecoder(columns: columns, keyTexts: KeyTextTable())
        case .csv: try CSVDecoder(window: window, separator: CSVSeparator.of(window, options), options: options)
        case .tsv: try CSVDecoder(window: window, separator: .tab, options: options)
        }
    }
}
