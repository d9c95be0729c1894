package import Foundation

/// What the writer writes, and how it says so: shared with the test that kills it.
package enum KillScript {
    /// Keys are the numbers below this one.
    package static let keyCount = 24
    /// Steps between two flushes.
    package static let stepsPerFlush = 6
    /// Any value is at most this long, in bytes.
    package static let byteCountMax = 40_000

    /// The one value of a key and a version: length and every byte follow from both.
    package static func payload(key: Int, version: Int) -> Data {
        let word = UInt64(truncatingIfNeeded: version) &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(truncatingIfNeeded: key)
        let wordCount = 2 + Int(word >> 32) % (byteCountMax / 8 - 2)
        var words = [UInt64](repeating: word, count: wordCount)
        words[0] = UInt64(truncatingIfNeeded: key)
        words[1] = UInt64(truncatingIfNeeded: version)
        return words.withUnsafeBytes { Data($0) }
    }

    /// The version that a payload names; `nil` for anything that ``payload(key:version:)`` doesn't give for the key.
    package static func version(of payload: Data, key: Int) -> Int? {
        guard payload.count >= 16 else { return nil }
        let word = payload.dropFirst(8).prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
        guard let version = Int(exactly: word), payload == self.payload(key: key, version: version) else { return nil }
        return version
    }

    /// A step, announced on standard output before it is taken.
    package enum Step: Hashable {
        case insert(key: Int, version: Int)
        case remove(key: Int)
        /// Everything before has been flushed.
        case flushed

        package var line: String {
            switch self {
            case .insert(let key, let version): "insert \(key) \(version)\n"
            case .remove(let key): "remove \(key)\n"
            case .flushed: "flushed\n"
            }
        }

        /// `nil` for a line that isn't whole.
        package init?(line: some StringProtocol) {
            let words = line.split(separator: " ")
            let numbers = words.dropFirst().compactMap { Int($0) }
            switch (words.first, numbers.count) {
            case ("insert", 2): self = .insert(key: numbers[0], version: numbers[1])
            case ("remove", 1): self = .remove(key: numbers[0])
            case ("flushed", 0): self = .flushed
            default: return nil
            }
        }
    }
}
