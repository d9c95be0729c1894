import Foundation
import Reports
import Testing
import TrialModel

@Suite(.timeLimit(.minutes(1))) struct DiskFullTests {
    @Test func `a write to a full disk says what to do`() throws {
        #if os(Linux)
            let full = try FileDescriptor(opening: "/dev/full", flags: O_WRONLY)
            let error = #expect(throws: ReportsError.self) { try full.append("row\r\n") }
            #expect(
                error?.description
                    == "/dev/full: no space left (disk, quota or limit on file sizes); free some, then start again (`run` can "
                    + "continue with --resume)")
            #expect(error?.exitCode == .harnessTrouble)
        #endif
    }

    @Test func `a text that is written in small parts is complete`() throws {
        let temporary = try TemporaryFolder()
        let file = try FileDescriptor(opening: temporary.path("f"), flags: O_WRONLY | O_CREAT) { descriptor, bytes in
            write(descriptor, bytes.baseAddress, min(3, bytes.count))
        }
        try file.append("scenario,strategy\r\n")
        #expect(try temporary.text("f") == "scenario,strategy\r\n")
    }

    @Test func `an interrupted write is retried`() throws {
        let temporary = try TemporaryFolder()
        let calls = Calls()
        let file = try FileDescriptor(opening: temporary.path("f"), flags: O_WRONLY | O_CREAT) { descriptor, bytes in
            if calls.next() == 1 {
                errno = EINTR
                return -1
            }
            return write(descriptor, bytes.baseAddress, bytes.count)
        }
        try file.append("row\r\n")
        #expect(try temporary.text("f") == "row\r\n")
    }

    @Test func `a file that can't be written at all is named with the reason`() {
        #expect(
            ReportsError.notWritable(path: "Results", reason: "Read-only file system").description
                == "Results: can't be written (Read-only file system); choose another --output, or change its "
                + "permissions"
        )
    }

    // The limit applies to a whole process, so each of these tests runs in a separate process.

    @Test func `a trial that does not fit leaves no part of itself in any file`() async {
        await #expect(processExitsWith: .success) {
            let temporary = try TemporaryFolder()
            let path = temporary.path("results")
            let folder = try ResultFolder.create(at: path)
            try folder.append([Samples.phase(Samples.key("steady", "lru"))])
            let before = try ResultFile.ofRun.map { try temporary.text("results/\($0.rawValue)") }
            let longest = before.map(\.utf8.count).max() ?? 0

            // Each limit stops the next trial in the middle of a different row or file.
            for room in stride(from: 1, to: 400, by: 7) {
                limitFileSize(to: longest + room)
                let results = (0..<20).map { Samples.phase(Samples.key("steady", "actor", 1, "phase-\($0)")) }
                let error = #expect(throws: ReportsError.self) { try folder.append(results) }
                guard case .diskFull = error else { exit(1) }
                let after = try ResultFile.ofRun.map { try temporary.text("results/\($0.rawValue)") }
                guard after == before else { exit(2) }
            }

            limitFileSize(to: nil)
            try folder.append([Samples.phase(Samples.key("steady", "actor"))])
            guard try ResultFolder.read(at: path).count == 2 else { exit(3) }
        }
    }

    @Test func `a folder without room for its headers is not left behind`() async {
        await #expect(processExitsWith: .success) {
            let temporary = try TemporaryFolder()
            limitFileSize(to: 100)
            let error = #expect(throws: ReportsError.self) { try ResultFolder.create(at: temporary.path("a/b")) }
            guard case .diskFull = error else { exit(1) }
            guard try temporary.names().isEmpty else { exit(2) }
        }
    }

    @Test func `a verdict that does not fit leaves the earlier one`() async {
        await #expect(processExitsWith: .success) {
            let temporary = try TemporaryFolder()
            let folder = try ResultFolder.create(at: temporary.path("r"))
            try folder.writeVerdict(RunVerdict(gates: []))
            limitFileSize(to: 60)
            let gate = VerdictGate(name: "answers", passed: false, reason: "wrong", exitCode: .strategyFailed)
            #expect(throws: ReportsError.self) { try folder.writeVerdict(RunVerdict(gates: [gate])) }
            guard try ResultFolder.readVerdict(at: temporary.path("r")).passed else { exit(1) }
            guard try temporary.names("r").count == 6 else { exit(2) }
        }
    }
}

/// Counts calls.
private final class Calls: Sendable {
    private let lock = NSLock()
    nonisolated(unsafe) private var count = 0  // Between `lock` and `unlock` only.

    func next() -> Int {
        lock.lock()
        defer { lock.unlock() }
        count += 1
        return count
    }
}

/// Makes writes beyond a size fail, as a full disk does: a part of them is written first.
private func limitFileSize(to bytes: Int?) {
    signal(SIGXFSZ, SIG_IGN)
    var limit = rlimit()
    #if os(Linux)
        let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
    #else
        let resource = RLIMIT_FSIZE
    #endif
    getrlimit(resource, &limit)
    limit.rlim_cur = bytes.map { rlim_t($0) } ?? limit.rlim_max
    setrlimit(resource, &limit)
}
