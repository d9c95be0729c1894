import CacheTestSupport
import Foundation
import ReliabilityChecks
import Testing

/// Strategies with files pass every check of their files; the program `reliability-checks` runs many more cases.
@Suite(.timeLimit(.minutes(5)))
struct DiskChecksTests {
    static let seed: UInt64 = 11
    /// The strategies that claim to be correct; with `sqlite` where the build has it.
    static let claimed = FileKeeper.all.filter { !$0.isExpectedToFail }
    /// These, and the sound base of the mutants.
    static let sound = claimed + [DiskMutant.sound]
    /// The strategies whose calls on the folder can be made to fail.
    static let layered = sound.filter(\.takesLayer)

    private func expectNothing(_ tally: CheckTally, doneMin: Int) {
        #expect(tally.failures == 0, "\(tally.line)")
        #expect(tally.done >= doneMin, "\(tally.line)")
    }

    @Test(arguments: layered)
    func `every call on the folder may fail`(keeper: FileKeeper) async throws {
        try await expectNothing(DiskFaultCheck(keeper, seed: Self.seed).run(), doneMin: 200)
    }

    @Test(arguments: layered)
    func `the writer may die at every call on the folder`(keeper: FileKeeper) async throws {
        try await expectNothing(KillCheck(keeper, seed: Self.seed).runDeaths(), doneMin: 20)
    }

    @Test(arguments: sound)
    func `a stored file may be damaged in any way`(keeper: FileKeeper) async throws {
        let budget = CheckBudget(countMax: 800)
        try await expectNothing(CorruptionCheck(keeper, seed: Self.seed).run(budget), doneMin: 800)
    }

    @Test func `an index may be damaged in any way`() async throws {
        let keeper = try #require(FileKeeper.named("disk"))
        let budget = CheckBudget(countMax: 400)
        try await expectNothing(IndexDamageCheck(keeper, seed: Self.seed).run(budget), doneMin: 400)
    }

    @Test(arguments: sound)
    func `hostile keys stay in the folder and apart`(keeper: FileKeeper) async throws {
        try await expectNothing(HostileKeyCheck(keeper, seed: Self.seed).run(), doneMin: 69)
    }

    @Test(arguments: claimed)
    func `a writing process may be killed at any moment`(keeper: FileKeeper) async throws {
        let check = KillCheck(keeper, seed: Self.seed)
        let tally = try await check.runKills(writer: try Self.program(), CheckBudget(countMax: 25))
        expectNothing(tally, doneMin: 25)
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
        arguments: claimed.filter(\.takesLayer))
    func `the disk may really be full`(keeper: FileKeeper) async throws {
        try await expectNothing(RealDiskFaultCheck(keeper, seed: Self.seed).run(), doneMin: 20)
    }

    @Test func `a cache as it was published serves damaged files, which fails nothing`() async throws {
        let published = try #require(FileKeeper.all.first { $0.isExpectedToFail })
        let tally = try await CorruptionCheck(published, seed: Self.seed).run(CheckBudget(countMax: 200))
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
