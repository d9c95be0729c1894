import ArgumentParser
import Foundation
import ReliabilityChecks

/// Checks that take long, or need the right to mount: the behaviour of strategies when their disk or their origin
/// fails.
@main
struct ReliabilityChecksCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reliability-checks",
        abstract:
            "Makes disks and origins fail, kills processes, damages files, and reports wrong answers of strategies.",
        discussion: """
            Each line on standard output is JSON: check, strategy, cases done, failures, the first of them, and the seed.

            Exit codes: 0 passed; 2 a check could not be run; 3 a strategy did something wrong; 64 wrong usage.
            Faults of reference implementations are expected, and fail nothing.
            """,
        subcommands: [
            Kills.self, PowerLosses.self, DiskFaults.self, RealDiskFaults.self, Corruptions.self, IndexDamages.self,
            OriginFaults.self,
            HostileKeyNames.self, WriteUntilKilled.self,
        ])
}

/// The arguments of all checks.
struct CheckArguments: ParsableArguments {
    @Option(help: "The seed of every random choice.")
    var seed: UInt64 = 1

    @Option(help: "The most cases for each strategy. (default: all cases)")
    var count: Int?

    @Option(help: "How long the check runs, in minutes, for all strategies together.")
    var minutes: Double?

    @Option(help: "Only this strategy.")
    var strategy: String?

    func validate() throws {
        if let count, count < 1 { throw ValidationError("--count is at least 1") }
        if let minutes, !(minutes > 0 && minutes.isFinite) { throw ValidationError("--minutes is above 0") }
        if let strategy, !names.contains(strategy) {
            throw ValidationError(
                "there is no strategy \(strategy) to check; there are \(names.joined(separator: ", "))")
        }
    }

    private var names: [String] {
        let keepers = FileKeeper.all.map(\.name)
        return keepers + CheckedOrigins.names.filter { !keepers.contains($0) }
    }

    /// Runs a check on each strategy that keeps files, and reports its findings.
    func checkKeepers(_ check: (FileKeeper, UInt64, CheckBudget) async throws -> CheckTally) async throws {
        try await report(FileKeeper.all.filter { strategy == nil || $0.name == strategy }, check)
    }

    /// Runs a check on each subject, with a seed and for its share of the time; with `--minutes` it is repeated with
    /// the next seed. Prints each tally, and ends the program with the exit code for them.
    func report<Subject>(
        _ subjects: [Subject], _ check: (Subject, UInt64, CheckBudget) async throws -> CheckTally
    ) async throws {
        guard !subjects.isEmpty else {
            throw ValidationError("\(strategy ?? "that strategy") has nothing that this check tests")
        }
        var isFailure = false
        for subject in subjects {
            let budget = CheckBudget(countMax: count, minutes: minutes.map { $0 / Double(subjects.count) })
            do {
                var tally = try await check(subject, seed, budget)
                var next = seed
                while minutes != nil, tally.skipped == nil, tally.done > 0, budget.allows(tally) {
                    next &+= 1
                    tally.add(try await check(subject, next, budget))
                }
                FileHandle.standardOutput.write(Data((tally.line + "\n").utf8))
                if tally.isFailure { isFailure = true }
            } catch {
                FileHandle.standardError.write(Data("reliability-checks: \(error)\n".utf8))
                throw ExitCode(2)
            }
        }
        if isFailure { throw ExitCode(3) }
    }
}

/// Names of the strategies whose loads are checked.
enum CheckedOrigins {
    static var names: [String] {
        #if HTTP
            OriginFaultCheck.candidateNames
        #else
            []
        #endif
    }
}
