import Foundation
import TrialModel

/// The process is killed, or power is lost, after each call that changes the folder: what was not synchronised may be
/// lost, in any order and in parts. The strategy opens then, finds nothing that was not written, keeps its limits, and
/// works as before; also when power is lost again while it opens or is used.
package struct PowerLossCheck: Sendable {
    /// The check's name.
    package static let name = "power-losses"
    /// A kind of synchronisation that a faulty device skips.
    package enum Lie: Sendable, CaseIterable { case bytes, names }

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
        var journal: FolderJournal
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

    /// Records the script: about 40 operations in three sessions, each of which opens and closes the strategy.
    private func record(_ costLimit: Int?) async throws -> Recording {
        try await ScratchFolder.with { folder in
            var recording = Recording(costLimit: costLimit, journal: FolderJournal(lie: lie))
            for session in 0..<3 {
                try await record(session, seed: seed &+ UInt64(session), removesAll: session == 1, folder, &recording)
            }
            return recording
        }
    }

    /// Records a session, in a folder that is as the journal says.
    private func record(
        _ session: Int, seed: UInt64, removesAll: Bool = false, _ folder: ScratchFolder, _ recording: inout Recording
    ) async throws {
        let layer = try FaultyFileLayer(directory: folder.directory)
        layer.journal = recording.journal
        func announce(_ step: KillScript.Step, isDurable: Bool = false) {
            recording.announcements.append(
                Announcement(changes: layer.journal.count, step: step, isDurable: isDurable))
        }
        let open = try await keeper.open(folder, costLimit: recording.costLimit, layer: layer)
        for round in 0..<2 {
            try await KillScript.write(
                to: open, seed: seed &+ UInt64(round), firstVersion: session * 1_000 + round * 100 + 1, rounds: 1
            ) { announce($0) }
            guard removesAll, round == 0 else { continue }
            for key in 0..<KillScript.keyCount { announce(.remove(key: key)) }
            await open.removeAll()
            try await open.flush()
            announce(.flushed)
        }
        await open.close()
        if keeper.closesDurably { announce(.flushed, isDurable: true) }
        recording.journal = layer.journal
    }

    /// Checks what a loss leaves; then uses it without a look at it, and checks it after that and after another loss.
    private func run(
        _ recording: Recording, _ changes: Int, _ loss: FolderJournal.Loss, _ random: inout RandomSource
    ) async throws -> [String] {
        let history = history(of: recording, KillHistory(), changes, loss)
        let files = recording.journal.files(after: changes, loss, &random)
        var faults = try await check(files, history, recording.costLimit)
        guard faults.isEmpty else { return faults }
        var use = Recording(costLimit: recording.costLimit, journal: FolderJournal(start: files))
        faults = try await ScratchFolder.with { folder in
            try folder.write(files)
            try await record(9, seed: random.next(), folder, &use)
            var later = self.history(of: use, history, use.journal.count, .kill)
            return try await later.check(keeper, folder, costLimit: use.costLimit).map { "used again: \($0)" }
        }
        guard faults.isEmpty else { return faults }
        let count = Int(random.next(below: UInt64(use.journal.count + 1)))
        let next = FolderJournal.Loss.all[Int(random.next(below: UInt64(FolderJournal.Loss.all.count)))]
        let left = use.journal.files(after: count, next, &random)
        return try await check(left, self.history(of: use, history, count, next), use.costLimit).map {
            "another loss after \(count) of \(use.journal.count) changes (\(next.bytes), \(next.names)): \($0)"
        }
    }

    /// The values that may be found after a loss.
    private func history(
        of recording: Recording, _ start: KillHistory, _ changes: Int, _ loss: FolderJournal.Loss
    ) -> KillHistory {
        var history = start
        history.restart()
        for one in recording.announcements.prefix(while: { $0.changes <= changes })
        where one.step != .flushed || one.isDurable || loss.isKill {
            // A strategy that doesn't synchronise a file before it replaces another one may lose both.
            if case .insert(let key, _) = one.step, !keeper.closesDurably, !loss.isKill {
                history.note(.remove(key: key))
            }
            history.note(one.step)
        }
        return history
    }

    private func check(_ files: [String: Data], _ history: KillHistory, _ costLimit: Int?) async throws -> [String] {
        try await ScratchFolder.with { folder in
            try folder.write(files)
            var history = history
            return try await history.check(keeper, folder, costLimit: costLimit)
        }
    }
}

extension ScratchFolder {
    fileprivate func write(_ files: [String: Data]) throws {
        for (name, bytes) in files { try bytes.write(to: file(name)) }
    }
}
