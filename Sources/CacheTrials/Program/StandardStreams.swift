import ArgumentParser
import Foundation
import Platform
import Reports
import TrialModel

/// Progress, warnings and errors; data never goes here.
enum StandardError {
    /// Writes a line. A line that can't be written is dropped, as there is nowhere left to report it.
    static func write(_ line: String) {
        writeAsIs("\(line)\n")
    }

    /// Writes text as it is.
    static func writeAsIs(_ text: String) {
        if let surroundings = Surroundings.current { return surroundings.write(.errors, text) }
        Terminal.writeToStandardError(text)
    }

    /// Writes an error with the program's name in front, as other commands do.
    static func error(_ message: String) {
        write("\(ThisProgram.name): error: \(message)")
    }
}

/// Data for readers of the program's output.
enum StandardOutput {
    /// The width of the terminal in columns; `nil` when the output goes elsewhere.
    static var width: Int? { Surroundings.current == nil ? Terminal.standardOutput().width : nil }

    /// Writes text as it is.
    ///
    /// - Throws: exit code 2 when it can't be written, as on a full disk. A reader that has closed the pipe, as `head`
    ///   does, needs no more: that is not an error.
    static func write(_ text: String) throws {
        if let surroundings = Surroundings.current { return surroundings.write(.output, text) }
        var text = text
        let code: Int32 = text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)
            while !rest.isEmpty {
                let count = Platform.write(STDOUT_FILENO, rest.baseAddress, rest.count)
                if count > 0 {
                    rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
                } else if errno != EINTR {
                    return errno
                }
            }
            return 0
        }
        guard code != 0, code != EPIPE else { return }
        let reason = strerror(code).map { String(cString: $0) } ?? "error \(code)"
        StandardError.error("standard output can't be written: \(reason); send it somewhere else")
        throw ExitCode(TrialExitCode.harnessTrouble.rawValue)
    }
}
