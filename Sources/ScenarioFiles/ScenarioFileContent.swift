#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Reads a scenario file from disk without blocking, and rejects files that cannot be scenarios.
enum ScenarioFileContent {
    /// The text of a regular file of at most ``ScenarioLimits/fileBytes`` bytes in UTF-8.
    ///
    /// Follows symbolic links. Opens without blocking, so that a FIFO without a writer is rejected at once.
    static func text(path: String) throws(ScenarioFileError) -> String {
        guard !path.utf8.contains(0) else {
            throw failure(path, found: "a NUL in the file's name", allowed: "the name of a file")
        }
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else {
            throw failure(path, found: systemMessage(errno), allowed: "a YAML file that can be read")
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            throw failure(path, found: systemMessage(errno), allowed: "a YAML file that can be read")
        }
        let kind = status.st_mode & S_IFMT
        guard kind == S_IFREG else {
            let found = kind == S_IFDIR ? "a directory" : "something that is not a regular file"
            throw failure(path, found: found, allowed: "a YAML file")
        }
        let bytes = try read(descriptor, path: path)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ScenarioFileError(
                path, firstInvalid(in: bytes), found: "bytes that are not UTF-8", allowed: "text in UTF-8")
        }
        return text
    }

    private static func read(_ descriptor: Int32, path: String) throws(ScenarioFileError) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = buffer.withUnsafeMutableBytes { readRetrying(descriptor, $0) }
            guard count >= 0 else {
                throw failure(path, found: systemMessage(errno), allowed: "a YAML file that can be read")
            }
            guard count > 0 else { return bytes }
            bytes += buffer[..<count]
            // The check uses the bytes read, because a file may grow and some files report no size.
            guard bytes.count <= ScenarioLimits.fileBytes else { throw tooLarge(path) }
        }
    }

    private static func readRetrying(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
        while true {
            #if canImport(Glibc)
                let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            #else
                let count = Darwin.read(descriptor, buffer.baseAddress, buffer.count)
            #endif
            if count >= 0 || errno != EINTR { return count }
        }
    }

    /// The error of a file that is too large.
    static func tooLarge(_ file: String) -> ScenarioFileError {
        let limit = AmountUnit.text(UInt64(ScenarioLimits.fileBytes), kind: .size)
        return ScenarioFileError(file, found: "more than \(limit)", allowed: "a file of at most \(limit)")
    }

    private static func failure(_ path: String, found: String, allowed: String) -> ScenarioFileError {
        ScenarioFileError(ScenarioMessage.quote(path, length: 4096), found: found, allowed: allowed)
    }

    private static func systemMessage(_ code: Int32) -> String {
        switch code {
        case ENOENT, ENOTDIR: "no such file"
        case EACCES, EPERM: "no permission to read"
        default: strerror(code).map { String(cString: $0) } ?? "error \(code)"
        }
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
