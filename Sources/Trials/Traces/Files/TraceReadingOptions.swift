/// Whether the keys of a CSV or TSV file are numbers.
package enum TraceCSVKeys: String, Sendable, Hashable {
    /// Numbers when every key near the beginning is one, else text. A later key that is not a number, such as `01`,
    /// then becomes a hash of 64 bits; for a ``NumberedTrace`` the file is read again, as text.
    case automatic
    /// Whole numbers from 0 to 2^64 - 1 without leading zeros; anything else is an error.
    case numbers
    /// Text, even if it looks like a number.
    case text
}

/// A column of a CSV or TSV file.
package enum TraceField: String, Sendable, Hashable, CaseIterable {
    case time, key, size, operation, lifetime, cost
    /// How often the request occurs.
    case count

    /// The names that a header may use for it, in any case.
    package var headerNames: [String] {
        switch self {
        case .time: ["time", "timestamp", "ts", "op_time"]
        case .key: ["key", "id", "object", "object_id", "obj_id", "url"]
        case .size: ["size", "bytes", "object_size", "obj_size"]
        case .operation: ["operation", "op"]
        case .lifetime: ["lifetime", "ttl"]
        case .cost: ["cost", "miss_cost"]
        case .count: ["op_count"]
        }
    }

    /// The field with a name from a header.
    package init?(headerName: String) {
        let wanted = headerName.lowercased()
        guard let field = Self.allCases.first(where: { $0.headerNames.contains(wanted) }) else { return nil }
        self = field
    }

    var column: TraceColumns {
        switch self {
        case .time: .time
        case .key, .count: .keyOnly
        case .size: .size
        case .operation: .operation
        case .lifetime: .lifetime
        case .cost: .cost
        }
    }
}

/// The time unit of a CSV or TSV file.
package enum TraceTimeUnit: String, Sendable, Hashable, CaseIterable {
    case seconds = "s"
    case milliseconds = "ms"
    case microseconds = "us"
    case nanoseconds = "ns"

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
    /// The columns to read, of those that the trace has. Fewer columns are read faster, and unread columns of a CSV
    /// or TSV file may contain any text.
    package var columns = TraceColumns.all
    /// Whether to read lifetimes and times as well, where the trace has both.
    package var wantsLifetimes = false
    /// Whether keys in CSV and TSV are numbers.
    package var csvKeys = TraceCSVKeys.automatic
    /// The columns of a file that has no header; `nil` for a column that is not read. Several keys form one key. Columns are
    /// separated by commas, semicolons, tabs or blanks: whichever gives as many columns in the first line.
    package var csvColumns: [TraceField?]?
    /// What the columns of a header mean, by their names in lower case; `nil` to know them by ``TraceField/headerNames``.
    package var csvNames: [String: TraceField]?
    /// What words of the operation column mean, in lower case, beside those that are known.
    package var csvOperations: [String: TraceOperation] = [:]
    /// The byte that begins a line without a request, in a file of columns.
    package var csvComment: UInt8?
    /// How many lines are left out at the beginning of a text.
    package var skippedLines = 0
    /// Whether a line of an ARC file may ask for more than 512 keys.
    package var allowsLongRuns = false
    /// Whether an object keeps the size of the request that admitted it, whatever later requests tell, as in libCacheSim.
    package var keepsFirstSizes = false
    /// The size of the blocks into which each request of a disk trace is split; `nil` for one request for all of it.
    package var blockByteCount: UInt64?
    /// The unit of times in CSV and TSV.
    package var csvTimeUnit = TraceTimeUnit.seconds
    /// The most requests in a block, at least 1. With the default, the columns stay in a processor's L2 cache.
    package var blockRequestCount = 16_384

    /// The defaults.
    package init() {}

    /// The columns that are read of those that a trace has.
    func columns(of available: TraceColumns) -> TraceColumns {
        let wanted = columns.intersection(available)
        let expiring: TraceColumns = [.lifetime, .time]
        return wantsLifetimes && available.isSuperset(of: expiring) ? wanted.union(expiring) : wanted
    }

    /// The defaults, with other columns.
    package init(columns: TraceColumns) { self.columns = columns }
}
