import Conformance
import Testing

/// The kit on trial: what it says of a cache that is right, and of caches that break one promise each.
@Suite(.timeLimit(.minutes(1)))
struct ConformanceKitTests {
    @Test(arguments: ConformanceCheck.allCases)
    func `a cache that keeps its promises has no failures`(check: ConformanceCheck) async {
        for failure in await ConformanceKit(FaultyCache.self).failures(of: check) { Issue.record("\(failure)") }
    }

    @Test(arguments: Fault.allCases)
    func `a broken promise is noticed by the check made for it`(fault: Fault) async throws {
        guard let check = fault.noticedBy else { return }
        let failures = await FaultyCache.$nextFault.withValue(fault) {
            var kit = ConformanceKit(FaultyCache.self)
            kit.patience = .milliseconds(300)
            return await kit.failures(of: check)
        }
        let first = try #require(failures.first, "\(fault) goes unnoticed by: \(check.rawValue)")
        #expect(first.check == check)
        #expect(first.description.hasPrefix("faulty: \(check.rawValue): "))
    }

    @Test func `every check is tried on a fault of its own`() {
        // Documents can't be changed in place; a strategy that shares its buffers is among the mutants.
        let tried = Set(Fault.allCases.compactMap(\.noticedBy)).union([.valuesAreIsolated])
        #expect(tried == Set(ConformanceCheck.allCases))
    }
}
