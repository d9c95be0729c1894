import ArgumentParser
import Foundation
import ReliabilityChecks

/// `kills`: kills writing processes.
struct Kills: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Kills writing processes at random moments; 500 kills by default."
    )

    @OptionGroup var arguments: CheckArguments

    private static let countDefault = 500

    func run() async throws {
        let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        // Without a limit the kills would never end.
        let isLimited = arguments.count != nil || arguments.minutes != nil
        try await arguments.checkKeepers { keeper, seed, budget in
            try await KillCheck(keeper, seed: seed).runKills(
                writer: program, isLimited ? budget : CheckBudget(countMax: Self.countDefault))
        }
    }
}

/// `power-losses`: loses what was not synchronised.
struct PowerLosses: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "power-losses",
        abstract: "Kills the process or loses power after each change of the folder, with what was not synchronised.")

    @OptionGroup var arguments: CheckArguments

    func run() async throws {
        try await arguments.checkKeepers { try await PowerLossCheck($0, seed: $1).run($2) }
    }
}

/// `disk-faults`: makes calls on the folder fail.
struct DiskFaults: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Fails the n-th call on the folder, for every n, error and operation.")

    @OptionGroup var arguments: CheckArguments

    func run() async throws {
        try await arguments.checkKeepers { try await DiskFaultCheck($0, seed: $1).run($2) }
    }
}

/// `real-disk-faults`: fills small file systems.
struct RealDiskFaults: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "real-disk-faults",
        abstract: "Fills small file systems, which it mounts, with bytes and with files.")

    @OptionGroup var arguments: CheckArguments

    func run() async throws {
        try await arguments.checkKeepers { try await RealDiskFaultCheck($0, seed: $1).run($2) }
    }
}

/// `corruptions`: damages stored files.
struct Corruptions: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Damages stored files in every way: each bit, each length, each block, and other files in their place.")

    @OptionGroup var arguments: CheckArguments

    func run() async throws {
        try await arguments.checkKeepers { try await CorruptionCheck($0, seed: $1).run($2) }
    }
}

/// `index-damages`: damages the index of a cache.
struct IndexDamages: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "index-damages",
        abstract: "Damages the index of a cache of 100 entries in every way: each bit, each length, each block.")

    @OptionGroup var arguments: CheckArguments

    func run() async throws {
        try await arguments.checkKeepers { try await IndexDamageCheck($0, seed: $1).run($2) }
    }
}

/// `origin-faults`: makes the origin fail.
struct OriginFaults: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Makes the origin fail in every way while 1 or 64 callers wait, for each candidate.")

    @OptionGroup var arguments: CheckArguments

    func run() async throws {
        #if HTTP
            let checks = OriginFaultCheck.candidates.filter {
                arguments.strategy == nil || $0.strategy == arguments.strategy
            }
            try await arguments.report(checks) { try await $0.run(seed: $1, $2) }
        #else
            FileHandle.standardError.write(
                Data("this build has no fixture server; build it with the trait HTTP\n".utf8))
            throw ExitCode(2)
        #endif
    }
}

/// `hostile-keys`: uses keys that are difficult for file systems.
struct HostileKeyNames: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hostile-keys", abstract: "Uses keys that are difficult for file systems.")

    @OptionGroup var arguments: CheckArguments

    func run() async throws {
        try await arguments.checkKeepers { try await HostileKeyCheck($0, seed: $1).run($2) }
    }
}

/// `kill-writer`: the child process that `kills` starts.
struct WriteUntilKilled: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "kill-writer", abstract: "Writes until it kills itself.", shouldDisplay: false)

    @Argument var strategy: String
    @Argument var directory: String
    @Argument var seed: UInt64
    @Argument var firstVersion: Int
    @Argument var microseconds: UInt64

    func run() async throws {
        guard let keeper = FileKeeper.named(strategy) else { throw ValidationError("there is no \(strategy)") }
        try await KillWriter.writeUntilKilled(
            keeper, directory: URL(fileURLWithPath: directory, isDirectory: true), seed: seed,
            firstVersion: firstVersion, microseconds: microseconds)
    }
}
