/// What a key's number is when the trace has text keys.
package enum TraceTextKeys: Sendable, Hashable {
    /// 0 for the first key, 1 for the next new one, and so on: exact, with memory for every different key.
    case numbered
    /// A hash of 64 bits, the same in every run: constant memory, and two keys in 2^64 are taken for one.
    case hashed
}

/// Whether the keys of a CSV or TSV file are numbers.
package enum TraceCSVKeys: Sendable, Hashable {
    /// Numbers when every key near the beginning is one, else text. A later key that is no number, as `01` is none,
    /// becomes a hash of 64 bits then; a ``NumberedTrace`` is read again, as text.
    case automatic
    /// Whole numbers from 0 to 2^64 - 1 without zeroes in front; anything else is an error.
    case numbers
    /// Text, even if it looks like a number.
    case text
}

/// A column of a CSV or TSV file.
package enum TraceField: String, Sendable, Hashable, CaseIterable {
    case time, key, size, operation, lifetime

    /// The names that a header may give it, in whatever case.
    package var headerNames: [String] {
        switch self {
        case .time: ["time", "timestamp", "ts"]
        case .key: ["key", "id", "object", "object_id", "obj_id", "url"]
        case .size: ["size", "bytes", "object_size", "obj_size"]
        case .operation: ["operation", "op"]
        case .lifetime: ["lifetime", "ttl"]
        }
    }

    /// The field of a header's name.
    package init?(headerName: String) {
        let wanted = headerName.lowercased()
        guard let field = Self.allCases.first(where: { $0.headerNames.contains(wanted) }) else { return nil }
        self = field
    }

    var column: TraceColumns {
        switch self {
        case .time: .time
        case .key: .keyOnly
        case .size: .size
        case .operation: .operation
        case .lifetime: .lifetime
        }
    }
}

/// What the times of a CSV or TSV file count.
package enum TraceTimeUnit: String, Sendable, Hashable, CaseIterable {
    case seconds, milliseconds, microseconds, nanoseconds

    var nanoseconds: UInt64 {
        switch self {
        case .seconds: 1_000_000_000
        case .milliseconds: 1_000_000
        case .microseconds: 1_000
        case .nanoseconds: 1
        }
    }
}

/// How to read a trace. The defaults fit every format.
package struct TraceReadingOptions: Sendable, Hashable {
    /// The columns that are wanted, of those that the trace has. Fewer are read faster, and those of a CSV or TSV file
    /// that nobody wants may hold anything.
    package var columns = TraceColumns.all
    /// What a text key becomes.
    package var textKeys = TraceTextKeys.numbered
    /// Whether keys in CSV and TSV are numbers.
    package var csvKeys = TraceCSVKeys.automatic
    /// The columns of a CSV or TSV file that has no header; `nil` for a column that is not read.
    package var csvColumns: [TraceField?]?
    /// The unit of times in CSV and TSV.
    package var csvTimeUnit = TraceTimeUnit.seconds
    /// The most requests in a block, at least 1. The default's columns stay in a processor's second cache.
    package var blockRequestCount = 16_384

    /// The defaults.
    package init() {}

    /// The defaults, with other columns.
    package init(columns: TraceColumns) { self.columns = columns }
}
