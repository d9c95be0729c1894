import Foundation
import Platform
import ScenarioFiles
import Testing
import TrialModel

@Suite(.timeLimit(.minutes(1)))
struct ScenarioFileContentTests {
    @Test(arguments: [
        ("/nowhere/x.yaml", "no such file, allowed: a YAML file that can be read"),
        ("/", "a directory, allowed: a YAML file"),
        ("/dev/zero", "something that is not a regular file, allowed: a YAML file"),
    ])
    func `a path without a file is refused, and a device is not read`(path: String, found: String) {
        #expect(mistake(at: path) == "\(path):1:1: found \(found)")
    }

    @Test func `a FIFO without a writer is refused at once`() throws {
        try withFolder { folder in
            let path = folder + "/fifo.yaml"
            try #require(mkfifo(path, 0o600) == 0)
            #expect(
                mistake(at: path) == "\(path):1:1: found something that is not a regular file, allowed: a YAML file")
        }
    }

    @Test func `a NUL in the name is refused`() {
        #expect(mistake(at: "a\0b")?.contains("found a NUL in the file's name") == true)
    }

    @Test func `a file of more than a mebibyte is refused`() throws {
        let bytes = Data(repeating: UInt8(ascii: "#"), count: (1 << 20) + 1)
        try #expect(
            mistake(in: bytes)?.hasSuffix(":1:1: found more than 1 MiB, allowed: a file of at most 1 MiB") == true)
    }

    @Test func `bytes that are not UTF-8 are refused with their place`() throws {
        let bytes = Data("title: é\nkeys: ".utf8) + [0xFF, 0xFE]
        try #expect(
            mistake(in: bytes)?.hasSuffix(":2:7: found bytes that are not UTF-8, allowed: text in UTF-8") == true)
    }

    @Test(.enabled(if: getuid() != 0, "root may read everything"))
    func `a file without permission is refused`() throws {
        try withFolder { folder in
            let path = folder + "/secret.yaml"
            try Data("title: x".utf8).write(to: URL(filePath: path))
            try #require(chmod(path, 0) == 0)
            #expect(mistake(at: path)?.contains("found no permission to read") == true)
        }
    }

    @Test func `the scenario is named after its file`() throws {
        try withFolder { folder in
            let path = folder + "/my.first-scenario.yml"
            try Data(ScenarioMistakeCase.Line.all.utf8).write(to: URL(filePath: path))
            #expect(try ShippedScenarios.reader.read(path: path).name == "my.first-scenario")
        }
    }

    @Test func `a file name that is not allowed in a column is refused`() throws {
        try withFolder { folder in
            let path = folder + "/my scenario, new.yaml"
            try Data(ScenarioMistakeCase.Line.all.utf8).write(to: URL(filePath: path))
            let expected = """
                \(path):1:1: found the file name my scenario, new.yaml, allowed: a name of up to 64 letters, digits, \
                hyphens, dots and underscores
                """
            #expect(mistake(at: path) == expected)
        }
    }

    private func mistake(at path: String) -> String? {
        do throws(ScenarioFileError) {
            _ = try ShippedScenarios.reader.read(path: path)
            return nil
        } catch {
            return error.description
        }
    }

    private func mistake(in bytes: Data) throws -> String? {
        try withFolder { folder in
            let path = folder + "/case.yaml"
            try bytes.write(to: URL(filePath: path))
            return mistake(at: path)
        }
    }

    private func withFolder<Result>(_ body: (String) throws -> Result) throws -> Result {
        let folder = FileManager.default.temporaryDirectory.appending(path: "scenario-files-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try body(folder.path(percentEncoded: false))
    }
}
