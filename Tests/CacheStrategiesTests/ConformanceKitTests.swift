import Conformance
import Foundation
import TestTiers
import Testing

/// Tests the kit itself: its result for a correct cache, and for caches that break one promise each.
@Suite(.timeLimit(.minutes(1)))
struct ConformanceKitTests {
    private static let efforts: [ConformanceEffort] = TestTier.isNightly ? [.brief, .full] : [.brief]

    @Test(arguments: ConformanceCheck.allCases, efforts)
    func `a cache that keeps its promises has no failures`(check: ConformanceCheck, effort: ConformanceEffort) async {
        var kit = ConformanceKit(FaultyCache.self)
        kit.effort = effort
        for failure in await kit.failures(of: check) { Issue.record("\(failure)") }
    }

    @Test(arguments: Fault.allCases, efforts)
    func `a broken promise is noticed by the check made for it`(fault: Fault, effort: ConformanceEffort) async throws {
        guard let check = fault.noticedBy else { return }
        var failures = await Self.failures(of: fault, check, effort)
        // A fault that shows when two callers meet may hide from a brief check on a busy machine.
        if failures.isEmpty { failures = await Self.failures(of: fault, check, .full) }
        let first = try #require(failures.first, "\(fault) goes unnoticed by: \(check.rawValue)")
        #expect(first.check == check)
        #expect(first.description.hasPrefix("faulty: \(check.rawValue): "))
    }

    private static func failures(
        of fault: Fault, _ check: ConformanceCheck, _ effort: ConformanceEffort
    ) async -> [ConformanceFailure] {
        await FaultyCache.$nextFault.withValue(fault) {
            var kit = ConformanceKit(FaultyCache.self)
            kit.patience = Patience(.milliseconds(600))
            kit.effort = effort
            return await kit.failures(of: check)
        }
    }

    @Test func `every check is tested with a fault of its own`() {
        // These checks have no faulty cache, but mutants that fail them: buffers that are shared (documents can't be
        // changed in place), wrong handling of memory pressure (a faulty cache has none), and memory that is left
        // behind and is not a value.
        let tried = Set(Fault.allCases.compactMap(\.noticedBy)).union([
            .valuesAreIsolated, .normalPressureKeepsAll, .pressureGivesBack, .givenBackStaysAway, .pressureKeepsLoads,
            .pressureInsideEviction, .givenBackCountsNoMore, .prefetchedIsFound, .prefetchLeavesHeldAlone,
            .prefetchIsRaised, .prefetchSparesVisible, .prefetchIsCalledOff,
            .memoryIsGivenBack, .forgottenKeysAreFree,
        ])
        #expect(tried == Set(ConformanceCheck.allCases))
    }

    @Test(arguments: [(Fault.none, 40), (.refusesWhenFull, 0)])
    func `a cache that refuses when it is full is seen to admit nothing`(fault: Fault, admitted: Int) async throws {
        let counter = InstanceCounter()
        let probe = AdmissionProbe(
            FaultyCache.self, makeKey: { "key-\($0)" },
            makeValue: { TrackedValue(number: $0, byteCount: 20, counter: counter) })
        let folder = FileManager.default.temporaryDirectory
        let finding = try await FaultyCache.$nextFault.withValue(fault) {
            try await probe.finding(entryLimit: 8, costLimit: nil, folder: folder)
        }
        #expect(finding == .init(offered: 40, admitted: admitted, limit: "8 entries"))
    }
}
