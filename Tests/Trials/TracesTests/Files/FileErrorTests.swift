import Foundation
import Testing
import TrialModel

@testable import Traces

@Suite(.timeLimit(.minutes(5))) struct FileErrorTests {
    let folder: TraceFolder

    init() throws { folder = try TraceFolder() }

    private func reason(_ path: String) -> TraceError.Reason? { TraceFolder.error(path, .lirs)?.reason }

    @Test func `a missing file is named`() {
        #expect(
            TraceFolder.error("/nowhere/a.lirs")?.description
                == "/nowhere/a.lirs: can't be opened: No such file or directory")
    }

    @Test func `a folder is not a trace`() { #expect(reason(folder.path) == .notARegularFile("a folder")) }

    @Test func `a device is not a trace`() { #expect(reason("/dev/zero") == .notARegularFile("a device")) }

    @Test func `a FIFO is refused without waiting for its writer`() {
        let path = folder.path("fifo")
        #expect(mkfifo(path, 0o600) == 0)
        #expect(reason(path) == .notARegularFile("a FIFO"))
    }

    @Test func `a path with NUL does not open the file before it`() throws {
        let path = try folder.write("1\n", to: "a")
        #expect(reason(path + "\0b") == .cannotOpen("a NUL byte in the path"))
    }

    @Test(arguments: ["longer", "shorter"]) func `a file that changes during reading is an error`(
        change: String
    ) throws {
        let path = try folder.write(String(repeating: "1234567\n", count: 100_000), to: "a")
        let reader = try TraceReader(path: path, format: .lirs)
        var block = TraceBlock()
        #expect(try reader.read(into: &block))
        #expect(truncate(path, change == "longer" ? 900_000 : 400_000) == 0)
        let error = #expect(throws: TraceError.self) { while try reader.read(into: &block) {} }
        #expect(error?.reason == .changed)
    }
}
