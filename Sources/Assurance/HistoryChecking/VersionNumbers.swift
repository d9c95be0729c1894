import Locks
import TrialModel

/// Small numbers for the versions of a history, for messages. Versions that callers write tell their caller by a high
/// digit, such as 844424930267047; those of a key count from 1 here, in the order in which they were written or sent.
package final class VersionNumbers: Sendable {
    /// Versions below it are small already; a key that has only such keeps them.
    private static let smallMax: UInt64 = 1 << 20

    private let numbers = Locked([UInt32: [UInt64: UInt64]]())

    /// No key is numbered yet.
    package init() {}

    /// The number of a version. The first one of a key takes O(events of the history).
    package func number(of version: UInt64, ofKey key: UInt32, in history: History) -> UInt64 {
        numbers.withLock { numbers in
            if let known = numbers[key] { return known[version] ?? version }
            let made = Self.numbers(ofKey: key, in: history)
            numbers[key] = made
            return made[version] ?? version
        }
    }

    private static func numbers(ofKey key: UInt32, in history: History) -> [UInt64: UInt64] {
        var made: [(moment: UInt64, version: UInt64)] = []
        for operations in history.callers {
            for operation in operations where operation.kind == .write && operation.key == key {
                made.append((operation.call, operation.version))
            }
        }
        for request in history.requests where request.key == key && request.version != 0 {
            made.append((request.start, request.version))
        }
        guard made.contains(where: { $0.version > smallMax }) else { return [:] }
        made.sort { $0 < $1 }
        var numbers: [UInt64: UInt64] = [:]
        for (_, version) in made where numbers[version] == nil { numbers[version] = UInt64(numbers.count + 1) }
        return numbers
    }
}
