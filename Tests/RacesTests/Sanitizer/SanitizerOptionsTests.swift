import Foundation
import Testing

@testable import Races

@Suite(.timeLimit(.minutes(1))) struct SanitizerOptionsTests {
    typealias Setting = SanitizerOptions.Setting

    private static let flags = SanitizerFlags(
        names: [
            "log_path", "exitcode", "history_size", "detect_deadlocks", "suppressions", "report_bugs",
            "atexit_sleep_ms",
        ], switches: ["detect_deadlocks", "report_bugs"])
    private static let harness = [Setting("log_path", "/logs/trial"), Setting("atexit_sleep_ms", "0")]

    private func options(_ user: String, harness: [Setting] = harness) throws(SanitizerOptionErrors) -> SanitizerOptions
    {
        try SanitizerOptions(user: user, harness: harness, flags: Self.flags, folder: "/none")
    }

    private func errors(_ user: String, harness: [Setting] = harness) -> [String] {
        do throws(SanitizerOptionErrors) {
            _ = try options(user, harness: harness)
            return []
        } catch {
            return error.errors.map(\.description)
        }
    }

    @Test func `the harness's settings come after the user's`() throws {
        #expect(
            try options("history_size=7:detect_deadlocks=no").text
                == "history_size=7 detect_deadlocks=no log_path=/logs/trial atexit_sleep_ms=0")
        #expect(try options("").text == "log_path=/logs/trial atexit_sleep_ms=0")
    }

    @Test(arguments: [
        ("a=1", [Setting("a", "1")]),
        ("  a=1,b=2:c=3\n\td=4\r ", "abcd".enumerated().map { Setting("\($1)", "\($0 + 1)") }),
        ("a='x y:z' b=\"it's\"", [Setting("a", "x y:z"), Setting("b", "it's")]),
        ("a='1'b=2", [Setting("a", "1"), Setting("b", "2")]),
        ("a=", [Setting("a", "")]), ("a=b=c", [Setting("a", "b=c")]), ("a=x'y", [Setting("a", "x'y")]), (" ,:", []),
        ("=1", [Setting("", "1")]), ("a=''", [Setting("a", "")]),
    ])
    func `settings are read by the runtime's rules`(text: String, expected: [Setting]) throws {
        #expect(try SanitizerOptionParser.settings(of: text) == expected)
    }

    @Test func `written options are read back unchanged`() throws {
        let settings = [Setting("log_path", "/My Files/a:b"), Setting("exitcode", "66"), Setting("history_size", "'")]
        let text = try options("", harness: settings).text
        #expect(try SanitizerOptionParser.settings(of: text) == settings)
    }

    @Test func `a value that can't be quoted is refused`() {
        #expect(
            errors("", harness: [Setting("log_path", "/a b'\"")]) == [
                "TSAN_OPTIONS: the value of 'log_path' has quotes of both kinds or a zero byte, and can't be written"
            ])
    }

    @Test(arguments: [
        ("histroy_size=1", "TSAN_OPTIONS: there is no option 'histroy_size'; did you mean 'history_size'?"),
        ("zzz=1", "TSAN_OPTIONS: there is no option 'zzz'"),
        (
            "exitcode=0",
            "TSAN_OPTIONS: 'exitcode' can't be set here: the harness tells a race from a crash by the exit code"
        ),
        (
            "report_bugs=0",
            "TSAN_OPTIONS: 'report_bugs' can't be set here: without reports every strategy would look clean"
        ),
        ("include=x", "TSAN_OPTIONS: 'include' can't be set here: the options in another file can't be checked"),
        ("atexit_sleep_ms=5", "TSAN_OPTIONS: 'atexit_sleep_ms' can't be set here: the harness sets it itself"),
        ("history_size", "TSAN_OPTIONS: 'history_size' has no value; write history_size=VALUE"),
        ("history_size='7", "TSAN_OPTIONS: the quoted value of 'history_size' doesn't end"),
        ("detect_deadlocks=on", "TSAN_OPTIONS: 'detect_deadlocks' is 0 or 1 (no, yes, false, true), and not 'on'"),
        ("history_size=1 history_size=2", "TSAN_OPTIONS: 'history_size' is set twice; only the last would count"),
        ("suppressions=nowhere", "TSAN_OPTIONS: the suppressions in 'nowhere' can't be read: there is no such file"),
    ])
    func `a mistake is named, with what to do`(user: String, message: String) {
        #expect(errors(user) == [message])
    }

    @Test func `every mistake is named together`() {
        #expect(errors("zzz=1 help=1 log_suffix=x include_if_exists=y").count == 4)
    }

    @Test func `a setting of the harness that the runtime doesn't know is a mistake`() {
        #expect(
            errors("", harness: [Setting("exit_code", "66")]) == [
                "TSAN_OPTIONS: there is no option 'exit_code'; did you mean 'exitcode'?"
            ])
    }

    @Test func `a path of suppressions becomes absolute`() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("options-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try "# https://github.com/swiftlang/swift/issues/1\nrace:libFoundation\n"
            .write(toFile: folder + "/rules", atomically: true, encoding: .utf8)
        let options = try SanitizerOptions(user: "suppressions=rules", harness: [], flags: Self.flags, folder: folder)
        #expect(options.settings == [Setting("suppressions", folder + "/rules")])
        #expect(throws: SanitizerOptionErrors.self) {
            try SanitizerOptions(user: "suppressions='\(folder)'", harness: [], flags: Self.flags)
        }
    }
}
