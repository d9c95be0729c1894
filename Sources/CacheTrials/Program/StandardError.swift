import Reports

/// Progress, warnings and errors; data never goes here.
enum StandardError {
    /// Writes a line. What can't be written is dropped: there is nowhere left to say so.
    static func write(_ line: String) {
        Terminal.writeToStandardError("\(line)\n")
    }

    /// Writes an error with the program's name in front, as other commands do.
    static func error(_ message: String) {
        write("\(ThisProgram.name): error: \(message)")
    }
}
