import Foundation
import Testing
import TrialModel

@testable import TrialSessions

/// The copy of the program that Valgrind runs.
@Suite(.timeLimit(.minutes(1)))
struct CallgrindCopyTests {
    /// A package of a program with a library in `../lib` and one beside it, and a script in place of `strip`.
    private final class Package {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("copy-\(UUID().uuidString)").path
        let callgrind: Callgrind

        init(strip body: String) throws {
            callgrind = Callgrind(program: ChildProgram("/usr/bin/false"), strip: "\(folder)/strip")
            for name in ["p/bin", "p/lib", "copy"] {
                try FileManager.default.createDirectory(
                    atPath: "\(folder)/\(name)", withIntermediateDirectories: true)
            }
            try write("echo started", to: "p/bin/own-trials")
            for library in ["p/lib/libone.so", "p/bin/libtwo.so.1"] { try write("", to: library) }
            // Its words: --strip-debug -o COPY PROGRAM
            try write(body, to: "strip")
        }

        deinit { try? FileManager.default.removeItem(atPath: folder) }

        private func write(_ body: String, to name: String) throws {
            try "#!/bin/sh\n\(body)\n".write(toFile: "\(folder)/\(name)", atomically: false, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: "\(folder)/\(name)")
        }

        func copy() async throws -> String {
            try await callgrind.copy(of: "\(folder)/p/bin/own-trials", in: "\(folder)/copy")
        }
    }

    @Test func `the copy finds the libraries of a package by its own place`() async throws {
        let package = try Package(strip: #"cp "$4" "$3""#)
        let copy = try await package.copy()
        #expect(copy == "\(package.folder)/copy/bin/own-trials")
        let place = URL(fileURLWithPath: copy).deletingLastPathComponent().path
        for library in ["../lib/libone.so", "libtwo.so.1"] {
            #expect(FileManager.default.isExecutableFile(atPath: "\(place)/\(library)"), "\(library)")
        }
    }

    @Test func `a copy that does not start is trouble of the machine, and no crash of a strategy`() async throws {
        let script = #"printf '#!/bin/sh\necho "no libone.so" >&2; exit 127\n' > "$3" && chmod +x "$3""#
        let package = try Package(strip: script)
        let error = await #expect(throws: HarnessError.self) { _ = try await package.copy() }
        let text = error?.description ?? ""
        #expect(text.contains("127") && text.contains("no libone.so; set TMPDIR"), "\(text)")
    }

    @Test func `a program that knows no help has started`() async throws {
        let package = try Package(strip: #"printf '#!/bin/sh\nexit 64\n' > "$3" && chmod +x "$3""#)
        #expect(try await package.copy() == "\(package.folder)/copy/bin/own-trials")
    }

    @Test func `a folder in which no program may run is trouble of the machine`() async throws {
        let package = try Package(strip: #"cp "$4" "$3"; chmod -x "$3""#)
        let error = await #expect(throws: HarnessError.self) { _ = try await package.copy() }
        #expect(error?.description.contains("can't be started") == true, "\(error?.description ?? "")")
    }
}
