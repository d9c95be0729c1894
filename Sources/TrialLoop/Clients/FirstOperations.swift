import Measurement
import TrialModel

/// The outcomes of a client's first operations after a launch, and the time of its first hit.
struct FirstOperations: Sendable {
    /// How many operations count as the first ones.
    static let countMax = 100

    private struct Ended: Sendable {
        let end: UInt64
        let isHit: Bool
    }

    private var ended: [Ended] = []
    private var firstHit: UInt64?

    init() { ended.reserveCapacity(Self.countMax) }

    /// Notes an operation that has ended. O(1).
    mutating func note(_ outcome: Outcome, at end: UInt64) {
        let isHit = outcome == .hit
        if isHit, firstHit == nil { firstHit = end }
        if ended.count < Self.countMax { ended.append(Ended(end: end, isHit: isHit)) }
    }

    /// Merges the first operations of all clients, in the order of their ends.
    ///
    /// - Parameters:
    ///   - clients: the operations of each client.
    ///   - start: when the clients were released.
    /// - Returns: the time from the release to the first hit, `nil` without one; and how many of the first hundred
    ///   operations were hits.
    static func figures(
        _ clients: [FirstOperations], from start: UInt64
    ) -> (firstHitNanoseconds: UInt64?, hits: UInt64) {
        let first = clients.flatMap(\.ended).sorted { $0.end < $1.end }.prefix(countMax)
        let firstHit = clients.compactMap(\.firstHit).min()
        return (firstHit.map { Nanoclock.elapsed(from: start, to: $0) }, UInt64(first.count(where: \.isHit)))
    }
}
