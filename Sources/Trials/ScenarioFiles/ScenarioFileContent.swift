import Foundation
import Platform

/// Reads a scenario file from disk without blocking, and rejects files that cannot be scenarios.
enum ScenarioFileContent {
    /// The text of a regular file of at most ``ScenarioLimits/fileBytes`` bytes in UTF-8.
    ///
    /// Follows symbolic links. Opens without blocking, so that a FIFO without a writer is rejected at once.
    static func text(path: String) throws(ScenarioFileError) -> String {
        let descriptor: Int32
        do throws(RegularFile.Obstacle) {
            descriptor = try RegularFile.opened(path).descriptor
        } catch {
            switch error {
            case .nulInPath: throw failure(path, found: "a NUL in the file's name", allowed: "the name of a file")
            case .system(let code): throw unreadable(path, code)
            case .kind(let kind):
                let found = kind == "a folder" ? "a directory" : "something that is not a regular file"
                throw failure(path, found: found, allowed: "a YAML file")
            }
        }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        // The check uses the bytes read, because a file may grow and some files report no size.
        guard let bytes = try? [UInt8](file.read(upToCount: ScenarioLimits.fileBytes + 1) ?? Data()) else {
            throw unreadable(path, errno)
        }
        guard bytes.count <= ScenarioLimits.fileBytes else { throw tooLarge(path) }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ScenarioFileError(
                path, firstInvalid(in: bytes), found: "bytes that are not UTF-8", allowed: "text in UTF-8")
        }
        return text
    }

    /// The error of a file that is too large.
    static func tooLarge(_ file: String) -> ScenarioFileError {
        let limit = AmountUnit.text(UInt64(ScenarioLimits.fileBytes), kind: .size)
        return ScenarioFileError(file, found: "more than \(limit)", allowed: "a file of at most \(limit)")
    }

    private static func failure(_ path: String, found: String, allowed: String) -> ScenarioFileError {
        ScenarioFileError(ScenarioMessage.quote(path, length: 4096), found: found, allowed: allowed)
    }

    private static func unreadable(_ path: String, _ code: Int32) -> ScenarioFileError {
        let found =
            switch code {
            case ENOENT, ENOTDIR: "no such file"
            case EACCES, EPERM: "no permission to read"
            default: strerror(code).map { String(cString: $0) } ?? "error \(code)"
            }
        return failure(path, found: found, allowed: "a YAML file that can be read")
    }

    /// The position of the first invalid UTF-8.
    private static func firstInvalid(in bytes: [UInt8]) -> YAMLPosition {
        var position = YAMLPosition.start
        var parser = Unicode.UTF8.ForwardParser()
        var iterator = bytes.makeIterator()
        while case .valid(let encoded) = parser.parseScalar(from: &iterator) {
            if Unicode.UTF8.decode(encoded) == "\n" {
                position = YAMLPosition(line: position.line + 1, column: 1)
            } else {
                position.column += 1
            }
        }
        return position
    }
}
