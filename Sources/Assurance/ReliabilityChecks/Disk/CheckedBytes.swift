import Foundation
import TrialModel

/// Values that identify their key and version: any two of them have different bytes throughout.
enum CheckedBytes {
    /// The value of a key's version.
    static func value(_ key: String, version: Int = 1, count: Int = 64) -> Data {
        var random = RandomSource(
            seed: UInt64(truncatingIfNeeded: version),
            stream: key.utf8.reduce(14_695_981_039_346_656_037) { hash, byte in
                (hash ^ UInt64(byte)) &* 1_099_511_628_211
            })
        var bytes = Data("\(version) ".utf8)
        while bytes.count < count {
            withUnsafeBytes(of: random.next().littleEndian) { bytes.append(contentsOf: $0) }
        }
        return bytes.prefix(max(count, "\(version) ".utf8.count))
    }

    /// The version that a value names; `nil` for bytes that differ from ``value(_:version:count:)`` for the key.
    static func version(of bytes: Data, _ key: String) -> Int? {
        guard let text = bytes.prefix(20).split(separator: UInt8(ascii: " ")).first,
            let version = Int(String(decoding: text, as: UTF8.self)),
            bytes == value(key, version: version, count: bytes.count)
        else { return nil }
        return version
    }
}
