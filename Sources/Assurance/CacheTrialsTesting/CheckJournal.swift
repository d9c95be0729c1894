import Foundation
import Locks
import Platform

/// What a check does, in a file that is there while it runs. It stays when the check ends its process, as by a trap.
///
/// Once such a file was left behind, all checks of the cache run in processes of their own: a trap then ends one check.
final class CheckJournal: Sendable {
    /// The journal of the check that runs in this task.
    @TaskLocal static var current: CheckJournal?

    /// Adds steps to the journal of the check that begins in this task.
    static var step: @Sendable (String) -> Void {
        let journal = current
        return { journal?.add($0) }
    }

    private let file: URL
    private let handle: FileHandle?

    /// Begins the file of a check.
    init(of check: String, _ cache: String) {
        file = Self.file(of: check, cache)
        try? FileManager.default.createDirectory(at: Self.folder(of: cache), withIntermediateDirectories: true)
        _ = FileManager.default.createFile(atPath: file.path, contents: Data("\(getpid())\n".utf8))
        handle = try? FileHandle(forWritingTo: file)
        _ = try? handle?.seekToEnd()
    }

    /// Adds a step before it runs. A script begins with the opening of its cache.
    func add(_ step: String) {
        guard let handle else { return }
        if step.hasPrefix("open a cache") { try? handle.truncate(atOffset: UInt64("\(getpid())\n".utf8.count)) }
        try? handle.write(contentsOf: Data("\(step)\n".utf8))
    }

    /// The check has ended.
    func end() {
        try? handle?.close()
        try? FileManager.default.removeItem(at: file)
    }

    /// The end of the script with which the check ended a process; `nil` where it ended none.
    static func lastScript(of check: String, _ cache: String) -> String? {
        guard let lines = lines(of: file(of: check, cache)) else { return nil }
        let shown = lines.dropFirst().suffix(linesMax)
        let left = lines.count - 1 - shown.count
        return "the last operations: \(left > 0 ? "… \(left) more …; " : "")\(shown.joined(separator: "; "))"
    }

    /// Forgets that a check ended a process, so that a later run tries it again.
    static func forget(_ check: String, _ cache: String) {
        try? FileManager.default.removeItem(at: file(of: check, cache))
    }

    private static let linesMax = 20

    /// Whether a check of a cache has ended an earlier process. Asked for once, before the first check.
    static func hasEndedProcess(_ cache: String) -> Bool {
        known.withLock { known in
            if let answer = known[cache] { return answer }
            let files = (try? FileManager.default.contentsOfDirectory(atPath: folder(of: cache).path)) ?? []
            let answer = files.contains { name in
                let file = folder(of: cache).appendingPathComponent(name)
                guard let process = lines(of: file)?.first.flatMap({ pid_t($0) }) else { return false }
                return kill(process, 0) != 0
            }
            known[cache] = answer
            return answer
        }
    }

    /// What a run says once in whose earlier run a check ended the process; `nil` elsewhere, and after the first time.
    static func doubt(about cache: String) -> String? {
        guard hasEndedProcess(cache), doubted.withLock({ $0.insert(cache).inserted }) else { return nil }
        return
            "an earlier run ended with a crash while checks of this cache ran. Each check has a process of its own in this run. "
            + "Checks that pass now don't show that the crash is fixed: a data race needs many runs, or --sanitize=thread"
    }

    private static let doubted = Locked(Set<String>())
    private static let known = Locked([String: Bool]())

    private static func lines(of file: URL) -> [String]? {
        FileManager.default.contents(atPath: file.path).map {
            String(decoding: $0, as: UTF8.self).split(separator: "\n").map(String.init)
        }
    }

    /// A folder for each test program and cache.
    private static func folder(of cache: String) -> URL {
        let program = TestProcess.folder?.path ?? "unknown"
        let name = "\(program) \(cache)".map { $0.isLetter || $0.isNumber ? $0 : "-" }
        return FileManager.default.temporaryDirectory.appendingPathComponent("cache-trials-checks")
            .appendingPathComponent(String(String(name).suffix(200)))
    }

    private static func file(of check: String, _ cache: String) -> URL {
        folder(of: cache).appendingPathComponent(String(check.map { $0.isLetter ? $0 : "-" }))
    }
}
