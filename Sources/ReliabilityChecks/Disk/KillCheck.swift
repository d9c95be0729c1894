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
    private static let roundsPerDeath = 3
    private static let microsecondsMax: UInt64 = 30_000

    private let keeper: FileKeeper
    private let seed: UInt64

    package init(_ keeper: FileKeeper, seed: UInt64) {
        self.keeper = keeper
        self.seed = seed
    }

    private var tally: CheckTally { CheckTally(Self.name, of: keeper, seed: seed) }

    /// Kills a writer at each of its calls on the folder, one after the other, within this process: from that call
    /// on, no call has an effect. Then does the same to the opening of a folder that a killed writer left.
    ///
    /// - Parameter budget: each kill is a case.
    package func runDeaths(_ budget: CheckBudget = CheckBudget()) async throws -> CheckTally {
        var tally = tally
        guard keeper.takesLayer else {
            tally.skipped = "its calls on the folder can't be cut off; kills of a process cut them off from outside"
            return tally
        }
        for isOpening in [false, true] {
            var call = 1 - budget.stride
            var isReached = true
            while isReached, budget.allows(tally) {
                call += budget.stride
                try await ScratchFolder.with { folder in
                    var history = KillHistory()
                    if isOpening {
                        _ = try await die(at: Self.callBeforeOpening, folder, &history)
                        isReached = try await dieOpening(at: call, folder)
                    } else {
                        isReached = try await die(at: call, folder, &history)
                    }
                    let faults = try await history.check(keeper, folder)
                    tally.note(faults, "died at call \(call)\(isOpening ? " of opening" : "")")
                }
            }
        }
        return tally
    }

    /// A call in the second round of writing.
    private static let callBeforeOpening = 45

    private func die(at call: Int, _ folder: ScratchFolder, _ history: inout KillHistory) async throws -> Bool {
        let layer = try FaultyFileLayer(directory: folder.directory)
        let open = try await keeper.open(folder, layer: layer)
        layer.arm(call: call, .death, isPersistent: true)
        try? await KillScript.write(to: open, seed: seed, firstVersion: 1, rounds: Self.roundsPerDeath) {
            history.note($0)
        }
        let isReached = layer.callCount >= call
        await open.close()
        layer.disarm()
        return isReached
    }

    private func dieOpening(at call: Int, _ folder: ScratchFolder) async throws -> Bool {
        let layer = try FaultyFileLayer(directory: folder.directory)
        layer.arm(call: call, .death, isPersistent: true)
        let open = try? await keeper.open(folder, layer: layer)
        let isReached = layer.callCount >= call
        await open?.close()
        layer.disarm()
        layer.unlock()
        return isReached
    }

    /// Kills writing processes at random moments.
    ///
    /// - Parameters:
    ///   - writer: this program; with `kill-writer` as its argument it runs ``KillWriter``.
    ///   - budget: each kill is a case.
    package func runKills(writer: URL, _ budget: CheckBudget) async throws -> CheckTally {
        var tally = tally
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
