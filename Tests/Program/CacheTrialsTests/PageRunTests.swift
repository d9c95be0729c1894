import CacheServers
import Foundation
import TestTiers
import Testing

/// Runs every command that a page or the help of a verb shows, in its order and at a small size, in a folder with the
/// files of the examples. Each must end with 0, or with a code that its comment names; where values decide, which are
/// of a small size here, also with 1.
///
/// That takes some minutes, so `scripts/nightly pages` does it; the other tests only parse the commands.
@Suite(.nightly, .serialized, .timeLimit(.minutes(30)))
struct PageRunTests {
    @Test(arguments: DocumentedPage.all) func `every command of a page runs to its end`(page: DocumentedPage)
        async throws
    {
        let folder = try await ExampleFolder(for: page)
        for command in page.commands where Self.reasonNotToRun(command) == nil {
            let ending = try await folder.run(command)
            let isVerdict = command.contains(#/cache-trials (?:compare|advise) /#)
            let named = command.matches(of: #/exit code (\d+)/#).compactMap { Int32($0.output.1) }
            let codes = (isVerdict ? [0, 1] : [0]) + (ending.isOfBusyMachine ? [2] : []) + named
            #expect(
                codes.contains(ending.exitCode),
                "\(command)\n\(ending.output.suffix(500))\n\(ending.errors.suffix(1_500))")
        }
    }

    /// Why an example can't run here, if it can't.
    private static func reasonNotToRun(_ command: String) -> String? {
        let hasServers = ["redis-server", "memcached"].allSatisfy { LocalServer.path(of: $0) != nil }
        for (part, reason, isMissing) in [
            ("cache-trials races", "it needs a build with Thread Sanitizer", true),
            ("Results/races", "it needs results of such a build", true),
            ("cache-trials count", "it needs Valgrind", LocalServer.path(of: "valgrind") == nil),
            ("Results/count", "it needs counts", LocalServer.path(of: "valgrind") == nil),
            ("--base", "it builds another commit", true),
            ("redis", "it needs redis-server and memcached", !hasServers),
        ] where isMissing && command.contains(part) { return reason }
        return nil
    }

    /// A replay prints the same figures every time, except for the speed of reading.
    @Test func `the page about replays shows lines that its commands print`() async throws {
        let path = "Sources/Program/CacheTrials/CacheTrials.docc/ReplayTraces.md"
        let page = try #require(DocumentedPage.all.first { $0.path == path })
        let folder = try await ExampleFolder(for: page)
        let text = try String(contentsOf: DocumentedPage.root.appending(path: path), encoding: .utf8)
        let lines = { (text: String) in
            text.replacing(#/read at \S+ requests/#, with: "read at 1 requests").split(whereSeparator: \.isNewline)
        }
        for block in text.matches(of: #/```\n\$ ([^`]*)```/#) {
            for example in block.output.1.split(separator: "\n$ ") {
                let shown = lines(String(example))
                let ending = try await folder.run(String(example.prefix { $0 != "\n" }))
                let printed = Set(lines(ending.errors + ending.output))
                #expect(shown.dropFirst().filter { !printed.contains($0) } == [], "\(shown[0])\n\(ending.errors)")
            }
        }
    }

    @Test func `nine of ten commands run`() {
        let commands = DocumentedPage.all.flatMap(\.commands)
        let left = commands.filter { Self.reasonNotToRun($0) != nil }
        #expect(left.count * 10 < commands.count, "\(left)")
    }
}
