package import TrialModel

/// Why a history could not be read or changed. The description says what to do.
package enum HistoryError: Error, Hashable, Sendable {
    /// The file does not exist.
    case missing(path: String)
    /// The folder of the file does not exist.
    case missingFolder(path: String)
    /// The file is damaged, or was not written by this tool.
    case damaged(path: String, line: Int, problem: String)
    /// The file already has the commit on this machine kind.
    case commitPresent(path: String, commit: String, machineKind: String)
    /// Two files have different values for the same commit.
    case conflict(path: String, other: String, commit: String, what: String)
    /// No row matches the request.
    case nothingFits(path: String, what: String, hint: String)
    /// The result has no figures to add.
    case noFigures(result: String, reason: String)
    /// A text is not valid in the file.
    case badText(name: String, text: String)

    /// 65: an input file is bad.
    package var exitCode: TrialExitCode { .badInput }
}

extension HistoryError: CustomStringConvertible {
    /// One line: the place, the problem, and what to do.
    package var description: String {
        switch self {
        case .missing(let path):
            "\(path): there is no such file; 'history add RESULT --file \(path) --commit SHA' begins one"
        case .missingFolder(let path):
            "\(path): there is no such folder; make it, or name another --file"
        case .damaged(let path, let line, let problem):
            "\(path):\(line): \(problem); fix or remove the line, or restore an earlier version of the file. "
                + "Nothing was changed"
        case .commitPresent(let path, let commit, let machineKind):
            "\(path): already has figures of \(commit) on \(machineKind); --replace replaces them"
        case .conflict(let path, let other, let commit, let what):
            "\(path) and \(other) have different figures of \(commit), the first is \(what); "
                + "remove the rows of one of them. Nothing was written"
        case .nothingFits(let path, let what, let hint):
            "\(path): has no figure of \(what); \(hint)"
        case .noFigures(let result, let reason):
            "\(result): \(reason)"
        case .badText(let name, let text):
            "--\(name): '\(text)' has control characters or more than 1,000 bytes; write one line"
        }
    }
}
