import Reports

/// Progress, warnings and errors; data never goes here.
enum StandardError {
    /// Writes a line. A line that can't be written is dropped, as there is nowhere left to report it.
    static func write(_ line: String) {
        Terminal.writeToStandardError("\(line)\n")
    }

    /// Writes an error with the program's name in front, as other commands do.
    static func error(_ message: String) {
        write("\(ThisProgram.name): error: \(message)")
    }
}
