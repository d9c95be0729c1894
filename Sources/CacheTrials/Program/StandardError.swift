import Reports

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
