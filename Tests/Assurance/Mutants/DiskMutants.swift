package import ReliabilityChecks

/// A cache with files that is correct except for one line, and the check that must notice.
package struct DiskMutant: Sendable {
    /// Kebab-case.
    package let name: String
    /// What is wrong, in a line.
    package let summary: String
    /// The check that must notice.
    package let expectedCheck: String
    private let bug: PlainDiskCache.Bug

    /// The mutant, as the checks of files use it.
    package var keeper: FileKeeper { PlainDiskCache.keeper(name: name, bug: bug) }

    private init(_ name: String, _ summary: String, noticedBy expectedCheck: String, _ bug: PlainDiskCache.Bug) {
        self.name = name
        self.summary = summary
        self.expectedCheck = expectedCheck
        self.bug = bug
    }

    /// The correct cache that every mutant changes in one place.
    package static let sound = PlainDiskCache.keeper(name: "plain-disk", bug: nil)

    static let soundBase = SoundBase(sound.name) { await sound.alarms(seed: $0, $1) }

    /// The mutants of disk caches.
    package static let all = [
        DiskMutant(
            "non-atomic-write", "a file is written in place, and is incomplete after a crash",
            noticedBy: PowerLossCheck.name, .writesInPlace),
        DiskMutant(
            "no-checksum", "a file's content is served unchecked", noticedBy: CorruptionCheck.name, .checksNothing),
        DiskMutant(
            "raw-key-file-name", "the key is used as the file's name, also when it is a path",
            noticedBy: HostileKeyCheck.name,
            .namesFilesByKey),
        DiskMutant(
            "follows-symlinks", "files are read and written through links", noticedBy: CorruptionCheck.name,
            .followsLinks),
        DiskMutant(
            "temporary-files-leak", "the remains of an interrupted write are never removed",
            noticedBy: PowerLossCheck.name,
            .leavesTemporaryFiles),
        DiskMutant(
            "rename-before-data", "a file gets its name before it has its content", noticedBy: PowerLossCheck.name,
            .renamesFirst),
        DiskMutant(
            "error-swallowed", "a failed write is not reported", noticedBy: DiskFaultCheck.name, .swallowsErrors),
        DiskMutant(
            "stale-index", "the byte count saved at the last flush is trusted after a crash",
            noticedBy: PowerLossCheck.name, .believesItsIndex),
    ]
}

extension FileKeeper {
    /// The findings of the selected checks of files; each check has enough cases to find any fault of the zoo.
    func alarms(seed: UInt64, _ selection: CheckSelection) async -> [Alarm] {
        let budget = CheckBudget(endsWithFailure: true)
        // Those are damaged in one folder before any is looked at.
        let damages = CheckBudget(countMax: selection.isAll ? 240 : 60)
        let losses = CheckBudget(countMax: selection.isAll ? 1_000 : 200, endsWithFailure: true)
        let checks: [(name: String, run: @Sendable () async throws -> CheckTally)] = [
            (PowerLossCheck.name, { try await PowerLossCheck(self, seed: seed).run(losses) }),
            (CorruptionCheck.name, { try await CorruptionCheck(self, seed: seed).run(damages) }),
            (HostileKeyCheck.name, { try await HostileKeyCheck(self, seed: seed).run(budget) }),
            (DiskFaultCheck.name, { try await DiskFaultCheck(self, seed: seed).run(budget) }),
        ]
        var alarms: [Alarm] = []
        for check in checks where selection.includes(.reliability(check.name)) {
            do {
                let tally = try await check.run()
                if tally.failures > 0 { alarms.append(Alarm(.reliability(check.name), tally.firstFailure ?? "")) }
            } catch {
                alarms.append(Alarm(.reliability(check.name), "the check did not run: \(error)"))
            }
        }
        return alarms
    }
}
