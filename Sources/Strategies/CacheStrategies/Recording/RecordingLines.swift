import Foundation

/// Requests as lines of CSV, `time,key,size,operation`: seconds since the recording began, the key, bytes, a word.
struct RecordingLines<Key: Hashable & Sendable> {
    let keys: RecordingOptions.Keys
    /// When the recording began.
    let start: UInt64
    /// Makes hashes differ between recordings.
    private let salt = UInt64.random(in: 0 ... .max)

    static var header: String { "time,key,size,operation\n" }
    private static var longestPlainKey: Int { 1000 }

    init(keys: RecordingOptions.Keys, start: UInt64) {
        self.keys = keys
        self.start = start
    }

    /// Appends the line of a request.
    func append(_ request: RecordedRequest<Key>, to bytes: inout [UInt8]) {
        appendTime(request.nanoseconds > start ? request.nanoseconds - start : 0, to: &bytes)
        bytes.append(0x2C)
        appendKey(request.key, to: &bytes)
        bytes.append(0x2C)
        Self.append(request.size, to: &bytes)
        switch request.kind {
        case .read, .missedRead: bytes.append(contentsOf: ",read\n".utf8)
        case .write: bytes.append(contentsOf: ",write\n".utf8)
        case .remove: bytes.append(contentsOf: ",remove\n".utf8)
        }
    }

    private func hash(_ key: Key) -> UInt64 { StableHash.word(StableHash.of(key) ^ salt) }

    private func appendKey(_ key: Key, to bytes: inout [UInt8]) {
        guard keys == .plain else { return Self.append(hash(key), to: &bytes) }
        if let number = key as? Int, number >= 0 { return Self.append(UInt64(number), to: &bytes) }
        // Strings that are equal must be written with the same bytes.
        var text = key as? String ?? String(describing: key)
        if !text.utf8.allSatisfy({ $0 < 0x80 }) { text = text.precomposedStringWithCanonicalMapping }
        let utf8 = text.utf8
        // Readers reject a key that is empty or has a NUL, and very long lines.
        guard (1...Self.longestPlainKey).contains(utf8.count), !utf8.contains(0) else {
            bytes.append(contentsOf: "hash:".utf8)
            return Self.append(hash(key), to: &bytes)
        }
        guard utf8.contains(where: { $0 == 0x2C || $0 == 0x22 || $0 == 0x0A || $0 == 0x0D }) else {
            return bytes.append(contentsOf: utf8)
        }
        bytes.append(0x22)
        for byte in utf8 {
            if byte == 0x22 { bytes.append(0x22) }
            bytes.append(byte)
        }
        bytes.append(0x22)
    }

    /// Seconds with nine digits after the decimal point.
    private func appendTime(_ nanoseconds: UInt64, to bytes: inout [UInt8]) {
        let (seconds, fraction) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        Self.append(seconds, to: &bytes)
        let point = bytes.count
        // The leading 1 keeps the zeroes after the decimal point; then the point replaces it.
        Self.append(1_000_000_000 + fraction, to: &bytes)
        bytes[point] = 0x2E
    }

    /// Appends decimal digits.
    private static func append(_ number: UInt64, to bytes: inout [UInt8]) {
        var rest = number
        let first = bytes.count
        repeat {
            bytes.append(0x30 + UInt8(truncatingIfNeeded: rest % 10))
            rest /= 10
        } while rest > 0
        bytes[first...].reverse()
    }
}
