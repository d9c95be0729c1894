import Foundation
import TrialModel

/// The process is killed, or power is lost, after each call that changes the folder: what was not synchronised may be
/// lost, in any order and in parts. The strategy opens then, finds nothing that was not written, keeps its limits, and
/// works as before; also when power is lost again while it opens.
package struct PowerLossCheck: Sendable {
    /// The check's name.
    package static let name = "power-losses"
    /// A kind of synchronisation that a faulty device skips.
    package enum Lie: Sendable, CaseIterable { case bytes, names }

    private static let sessions = 3
    /// Without a limit, nothing may be missing that must survive; with this one, entries are evicted.
    private static let costLimits = [nil, 20_000]

    private let keeper: FileKeeper
    private let seed: UInt64
    private let lie: Lie?

    /// - Parameter lie: a synchronisation that the device skips, so that the check must find a fault; `nil` for none.
    package init(_ keeper: FileKeeper, seed: UInt64, lie: Lie? = nil) {
        self.keeper = keeper
        self.seed = seed
        self.lie = lie
    }

    /// A step, and the number of changes before it.
    private struct Announcement {
        var changes: Int
        var step: KillScript.Step
        /// Whether everything that was flushed must also survive a loss of power.
        var isDurable = false
    }

    private struct Recording {
        let costLimit: Int?
        var journal = FolderJournal()
        var announcements: [Announcement] = []
    }

    /// Runs all cases, or a sample chosen by the seed: each loss after each change.
    package func run(_ budget: CheckBudget = CheckBudget()) async throws -> CheckTally {
        var tally = CheckTally(Self.name, of: keeper, seed: seed)
        guard keeper.takesLayer else {
            tally.skipped = "its calls on the folder aren't recorded; kills of a process cut them off from outside"
            return tally
        }
        var places: [(recording: Recording, changes: Int)] = []
        for costLimit in Self.costLimits {
            let recording = try await record(costLimit)
            places += (0...recording.journal.count).map { (recording, $0) }
        }
        var random = RandomSource(seed: seed)
        random.shuffle(&places)
        // Each round has another loss for each place, so that the first ones are a sample of both.
        let losses = FolderJournal.Loss.all
        for round in losses.indices {
            for (number, (recording, changes)) in places.enumerated() where budget.allows(tally) {
                let loss = losses[(round + number) % losses.count]
                let faults = try await run(recording, changes, loss, &random)
                let limit = recording.costLimit == nil ? "" : ", with a limit"
                tally.note(
                    faults,
                    "after change \(changes) of \(recording.journal.count)\(limit), "
                        + "bytes left: \(loss.bytes), names left: \(loss.names)")
            }
        }
        return tally
    }

    /// Runs the script: about 40 operations in some sessions, each of which opens and closes the strategy.
    private func record(_ costLimit: Int?) async throws -> Recording {
        var recording = Recording(costLimit: costLimit)
        try await ScratchFolder.with { folder in
            let layer = try FaultyFileLayer(directory: folder.directory)
            layer.journal = FolderJournal(lie: lie)
            func announce(_ step: KillScript.Step, isDurable: Bool = false) {
                recording.announcements.append(
                    Announcement(changes: layer.journal.count, step: step, isDurable: isDurable))
            }
            for session in 0..<Self.sessions {
                let open = try await keeper.open(folder, costLimit: costLimit, layer: layer)
                for round in 0..<2 {
                    let number = session * 2 + round
                    try await KillScript.write(
                        to: open, seed: seed &+ UInt64(number), firstVersion: number * 100 + 1, rounds: 1
                    ) { announce($0) }
                    guard number == 2 else { continue }
                    for key in 0..<KillScript.keyCount { announce(.remove(key: key)) }
                    await open.removeAll()
                    try await open.flush()
                    announce(.flushed)
                }
                await open.close()
                if keeper.closesDurably { announce(.flushed, isDurable: true) }
            }
            recording.journal = layer.journal
        }
        return recording
    }

    private func run(
        _ recording: Recording, _ changes: Int, _ loss: FolderJournal.Loss, _ random: inout RandomSource
    ) async throws -> [String] {
        var history = KillHistory()
        for one in recording.announcements.prefix(while: { $0.changes <= changes })
        where one.step != .flushed || one.isDurable || loss.isKill {
            history.note(one.step)
        }
        let files = recording.journal.files(after: changes, loss, &random)
        var first = history
        let (faults, journal) = try await open(files, recording.costLimit, &first, isUsed: false)
        guard faults.isEmpty else { return faults }
        let again = FolderJournal.Loss.all[Int(random.next(below: UInt64(FolderJournal.Loss.all.count)))]
        let count = Int(random.next(below: UInt64(journal.count + 1)))
        let left = journal.files(after: count, again, &random)
        return try await open(left, recording.costLimit, &history, isUsed: true).faults.map {
            "opened after another loss, \(count) changes later (\(again.bytes), \(again.names)): \($0)"
        }
    }

    /// Opens a folder with these files and checks what is found, twice if the strategy is used in between.
    private func open(
        _ files: [String: Data], _ costLimit: Int?, _ history: inout KillHistory, isUsed: Bool
    ) async throws -> (faults: [String], journal: FolderJournal) {
        let folder = try ScratchFolder()
        defer { folder.remove() }
        for (name, bytes) in files { try bytes.write(to: folder.file(name)) }
        let layer = try FaultyFileLayer(directory: folder.directory)
        layer.journal = FolderJournal(start: files)
        var faults = try await history.check(keeper, folder, costLimit: costLimit, layer: layer)
        guard isUsed, faults.isEmpty else { return (faults, layer.journal) }
        let open = try await keeper.open(folder, costLimit: costLimit)
        try await KillScript.write(to: open, seed: seed, firstVersion: 1_000, rounds: 1) { history.note($0) }
        await open.close()
        faults = try await history.check(keeper, folder, costLimit: costLimit)
        return (faults.map { "used afterwards: \($0)" }, layer.journal)
    }
}
