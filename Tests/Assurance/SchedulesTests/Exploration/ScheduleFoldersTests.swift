import Foundation
import Testing

@testable import Schedules

/// The folders of schedules whose strategies keep files.
@Suite(.timeLimit(.minutes(1)))
struct ScheduleFoldersTests {
    @Test(arguments: [false, true])
    func `a folder that its strategy removed, or the one above it, is made again`(removesParent: Bool) throws {
        let folders = try ScheduleFolders()
        let first = try folders.fresh()
        try FileManager.default.removeItem(at: removesParent ? first.deletingLastPathComponent() : first)
        let second = try folders.fresh()
        #expect(second != first && FileManager.default.fileExists(atPath: second.path))
        let third = try folders.fresh()
        #expect(!FileManager.default.fileExists(atPath: second.path))
        #expect(FileManager.default.fileExists(atPath: third.path))
    }
}
