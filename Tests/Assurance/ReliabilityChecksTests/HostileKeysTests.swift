import Foundation
import ReliabilityChecks
import Testing

@Suite(.timeLimit(.minutes(1)))
struct HostileKeysTests {
    @Test func `there are 64 keys, no two of which are equal`() {
        #expect(HostileKeys.all.count == 64)
        #expect(Set(HostileKeys.all).count == 64)
    }

    // A cache that uses a key as a path writes and removes the file there.
    @Test(arguments: HostileKeys.all) func `no key leads to a file that matters`(key: String) {
        let parts = key.split(separator: "/")
        if key.hasPrefix("/"), let first = parts.first {
            #expect(!FileManager.default.fileExists(atPath: "/\(first)"))
            #expect(!parts.contains(".."))
        } else {
            var depth = 0
            for part in parts where part != "." {
                depth += part == ".." ? -1 : 1
                #expect(depth >= -1)
            }
        }
    }
}
