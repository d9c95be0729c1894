import Foundation
package import TrialModel

extension TraceFormat {
    /// The format with a name, ignoring case.
    package init?(named name: String) {
        let wanted = name.lowercased()
        guard let format = Self.allCases.first(where: { $0.rawValue.lowercased() == wanted }) else { return nil }
        self = format
    }

    /// A one-line description for a list of formats.
    package var summary: String {
        switch self {
        case .arc: "lines of `start count x x`, each for `count` keys in a row: at most 512, more with --long-runs"
        case .lirs: "one whole number a line; lines with `*` are skipped"
        case .oracleGeneral: "libCacheSim's binary records of 24 bytes: time, key, size, next access"
        case .cache2k: "binary numbers of 4 bytes, most significant byte first"
        case .csv:
            "columns time, key, size, operation, lifetime, cost, separated by commas, semicolons or blanks, under a header or named with --columns"
        case .tsv: "the same columns, separated by tabs"
        case .keys: "one text key a line"
        case .twitter: "Twitter's cache traces: timestamp,key,key size,value size,client,operation,lifetime"
        case .msr:
            "MSR Cambridge disk traces: time,host,disk,type,offset,size,response time; a request of 64 KiB is one object unless --split-blocks 4KiB splits it"
        case .redis:
            "what `redis-cli MONITOR` prints; commands that look up, write or remove no key are counted and left out"
        }
    }

    /// The columns that a trace in this format can have; a CSV file names its own.
    package var columns: TraceColumns {
        switch self {
        case .arc, .lirs, .cache2k, .keys: .keyOnly
        case .oracleGeneral: [.time, .size, .nextAccess]
        case .csv, .tsv: [.time, .size, .operation, .lifetime, .cost]
        case .twitter: [.time, .size, .operation, .lifetime]
        case .msr: [.time, .size, .operation]
        case .redis: [.time, .size, .operation, .lifetime]
        }
    }

    /// Whether errors have a line number, not only an offset.
    var isText: Bool { self != .oracleGeneral && self != .cache2k }

    /// The names, for messages.
    static func names(_ formats: [TraceFormat]) -> String {
        formats.map(\.rawValue).joined(separator: ", ")
    }
}

/// The compression of a trace file. It is detected by the first bytes, never by name.
package enum TraceCompression: String, Sendable, Hashable, CaseIterable {
    case none, gzip, xz, zstd

    /// Detects the compression of a file by its first bytes, without reading on.
    init(ofFile descriptor: Int32) {
        var magic = [UInt8](repeating: 0, count: Self.magicByteCount)
        let count = pread(descriptor, &magic, magic.count, 0)
        magic.removeLast(magic.count - max(0, count))
        self.init(magic: magic)
    }

    /// The number of bytes that tell the compression.
    static let magicByteCount = 6

    /// The compression that the first bytes tell.
    init(magic: [UInt8]) {
        // Parallel compressors begin with a zstd frame without data: 0x184D2A50 to 0x184D2A5F, least significant byte
        // first.
        let isSkippable = (magic.first ?? 0) & 0xF0 == 0x50 && magic.dropFirst().starts(with: [0x2A, 0x4D, 0x18])
        if magic.starts(with: [0x1F, 0x8B]) {
            self = .gzip
        } else if magic == [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00] {
            self = .xz
        } else {
            self = isSkippable || magic.starts(with: [0x28, 0xB5, 0x2F, 0xFD]) ? .zstd : .none
        }
    }
}
