import Foundation
import Testing

@testable import CacheTrialsTesting

/// Checks outside of a test of Swift Testing, as in XCTest, after a check has ended an earlier process.
@Suite(.timeLimit(.minutes(1)))
struct EndedProcessTests {
    @Test func `what ended an earlier process is named as not checked, and tried again in the next run`() async throws {
        let name = "ended-\(UUID().uuidString)"
        let contract = CacheContract(memoizing: name, promises: Promises(limit: .none)) { _ in
            { _, fetch in try TrackedValue(encoded: await fetch()) }
        }
        let check = try #require(contract.checks(only: "a failed load leaves no state").first)
        // The journal of a process that is gone.
        _ = CheckJournal(of: check.name, name)
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("cache-trials-checks")
        let own = try FileManager.default.contentsOfDirectory(atPath: folder.path).first { $0.hasSuffix("-\(name)") }
        let files = folder.appendingPathComponent(try #require(own))
        defer { try? FileManager.default.removeItem(at: files) }
        let journal = try #require(try FileManager.default.contentsOfDirectory(atPath: files.path).first)
        try Data("\(pid_t.max)\nopen a cache without limits\n".utf8).write(to: files.appendingPathComponent(journal))

        // A detached task has no test.
        let failures = await Task.detached { await check.failures() }.value
        #expect(failures.count == 1 && failures[0].hasPrefix("not checked: \(check.name): "), "\(failures)")
        #expect(failures.first?.contains("the last operations: open a cache without limits") == true, "\(failures)")
        let again = await Task.detached { await check.failures() }.value
        #expect(again == [])
    }
}
