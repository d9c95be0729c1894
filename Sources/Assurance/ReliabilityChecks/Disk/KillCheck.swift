package import Foundation
import TrialModel

/// A strategy is killed while it writes, and opened again: each entry is whole or as it was before, and everything
/// that was flushed is there.
package struct KillCheck: Sendable {
    /// The check's name.
    package static let name = "kills"
    /// The number of kills in one folder before a new folder is used, so that folders with a long past are tested
    /// too.
    private static let cyclesPerFolder = 50
    private static let microsecondsMax: UInt64 = 30_000

    private let keeper: FileKeeper
    private let seed: UInt64

    package init(_ keeper: FileKeeper, seed: UInt64) {
        self.keeper = keeper
        self.seed = seed
    }

    /// Kills writing processes at random moments.
    ///
    /// - Parameters:
    ///   - writer: this program; with `kill-writer` as its argument it runs ``KillWriter``.
    ///   - budget: each kill is a case.
    package func runKills(writer: URL, _ budget: CheckBudget) async throws -> CheckTally {
        var tally = CheckTally(Self.name, of: keeper, seed: seed)
        var random = RandomSource(seed: seed)
        while budget.allows(tally) {
            try await ScratchFolder.with { folder in
                var history = KillHistory()
                for _ in 0..<Self.cyclesPerFolder where budget.allows(tally) {
                    let microseconds = random.next(below: Self.microsecondsMax)
                    let arguments = [
                        "kill-writer", keeper.name, folder.directory.path, "\(random.next())",
                        "\(tally.done * 1_000_000)", "\(microseconds)",
                    ]
                    for step in try await KillWriter.runUntilKilled(writer, arguments) { history.note(step) }
                    let faults = try await history.check(keeper, folder)
                    tally.note(faults, "kill \(tally.done + 1), after \(microseconds) microseconds")
                }
            }
        }
        return tally
    }
}
