import Foundation
import ReliabilityChecks
import TestTiers
import Testing

/// Strategies with files pass every check of their files; the program `reliability-checks` runs many more cases.
@Suite(.timeLimit(.minutes(5)))
struct DiskChecksTests {
    static let seed: UInt64 = 11
    /// The strategies that claim to be correct; with `sqlite` where the build has it.
    static let sound = FileKeeper.all.filter { !$0.isExpectedToFail }
    /// The strategies whose calls on the folder can be made to fail.
    static let layered = sound.filter(\.takesLayer)

    /// One in so many cases is run, of those that come in an order.
    static let stride = TestTier.isNightly ? 1 : 6
    static let budget = CheckBudget(stride: stride)

    private func expectNothing(_ tally: CheckTally, doneMin: Int) {
        #expect(tally.failures == 0, "\(tally.line)")
        #expect(tally.done >= doneMin, "\(tally.line)")
    }

    @Test(arguments: layered)
    func `every call on the folder may fail`(keeper: FileKeeper) async throws {
        let stride = (Self.stride + 1) / 2
        let budget = CheckBudget(stride: stride)
        try await expectNothing(DiskFaultCheck(keeper, seed: Self.seed).run(budget), doneMin: 200 / stride)
    }

    @Test(arguments: layered)
    func `the process may die, or lose power, after every change of the folder`(keeper: FileKeeper) async throws {
        let count = TestTier.cases(600)
        let budget = CheckBudget(countMax: count)
        try await expectNothing(PowerLossCheck(keeper, seed: Self.seed).run(budget), doneMin: count)
    }

    @Test(arguments: PowerLossCheck.Lie.allCases)
    func `a device that skips a synchronisation loses entries of a cache that was closed`(
        lie: PowerLossCheck.Lie
    ) async throws {
        let keeper = try #require(FileKeeper.named("disk"))
        let tally = try await PowerLossCheck(keeper, seed: Self.seed, lie: lie).run(
            CheckBudget(countMax: 2_000, endsWithFailure: true))
        #expect(tally.failures == 1, "\(tally.line)")
    }

    @Test(arguments: sound)
    func `a stored file may be damaged in any way`(keeper: FileKeeper) async throws {
        // With each kind of damage at least once.
        let count = TestTier.isNightly ? 800 : 40
        let budget = CheckBudget(countMax: count)
        try await expectNothing(CorruptionCheck(keeper, seed: Self.seed).run(budget), doneMin: count)
    }

    @Test func `an index may be damaged in any way`() async throws {
        let keeper = try #require(FileKeeper.named("disk"))
        let count = TestTier.cases(400)
        let budget = CheckBudget(countMax: count)
        try await expectNothing(IndexDamageCheck(keeper, seed: Self.seed).run(budget), doneMin: count)
    }

    @Test(arguments: sound)
    func `hostile keys stay in the folder and apart`(keeper: FileKeeper) async throws {
        try await expectNothing(
            HostileKeyCheck(keeper, seed: Self.seed).run(Self.budget), doneMin: 64 / Self.stride + 5)
    }

    @Test(arguments: sound)
    func `a writing process may be killed at any moment`(keeper: FileKeeper) async throws {
        let check = KillCheck(keeper, seed: Self.seed)
        let count = TestTier.cases(25)
        let tally = try await check.runKills(writer: try Self.program(), CheckBudget(countMax: count))
        expectNothing(tally, doneMin: count)
    }

    @Test(arguments: layered)
    func `a time that is over allows a first case, so that no check ends with none`(keeper: FileKeeper) async throws {
        let over = CheckBudget(minutes: 0)
        // Files of a folder are damaged at once.
        try await #expect(CorruptionCheck(keeper, seed: Self.seed).run(over).done > 0)
        try await #expect(HostileKeyCheck(keeper, seed: Self.seed).run(over).done == 1)
        try await #expect(DiskFaultCheck(keeper, seed: Self.seed).run(over).done == 1)
        try await #expect(PowerLossCheck(keeper, seed: Self.seed).run(over).done == 1)
        try await #expect(KillCheck(keeper, seed: Self.seed).runKills(writer: Self.program(), over).done == 1)
    }

    private static func canMount() async -> Bool {
        do {
            try await SmallFileSystem(byteCount: 64 << 10, fileCount: 10).unmount()
            return true
        } catch {
            return false
        }
    }

    @Test(
        .enabled("mounting a small file system needs root") { await canMount() },
        arguments: sound.filter(\.takesLayer))
    func `the disk may really be full`(keeper: FileKeeper) async throws {
        try await expectNothing(RealDiskFaultCheck(keeper, seed: Self.seed).run(), doneMin: 20)
    }

    @Test func `a cache as it was published serves damaged files, which fails nothing`() async throws {
        let published = try #require(FileKeeper.all.first { $0.isExpectedToFail })
        let tally = try await CorruptionCheck(published, seed: Self.seed).run(
            CheckBudget(countMax: 60, endsWithFailure: true))
        #expect(tally.failures > 0)
        #expect(!tally.isFailure)
    }

    /// The program is beside the tests.
    private static func program() throws -> URL {
        let starts = [CommandLine.arguments.first].compactMap(\.self) + Bundle.allBundles.map(\.bundlePath)
        for start in starts {
            var folder = URL(fileURLWithPath: start)
            while folder.pathComponents.count > 1 {
                folder.deleteLastPathComponent()
                let candidate = folder.appendingPathComponent("reliability-checks")
                if FileManager.default.isExecutableFile(atPath: candidate.path), !candidate.hasDirectoryPath {
                    return candidate
                }
            }
        }
        throw CocoaError(.fileNoSuchFile)
    }
}
