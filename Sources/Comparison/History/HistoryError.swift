package import TrialModel

/// Why a history could not be read or changed. The description says what to do.
package enum HistoryError: Error, Hashable, Sendable {
    /// There is no file.
    case missing(path: String)
    /// The folder of the file is not there.
    case missingFolder(path: String)
    /// The file is damaged, or was not written by this tool.
    case damaged(path: String, line: Int, problem: String)
    /// The commit was measured on such a machine already.
    case commitPresent(path: String, commit: String, machineKind: String)
    /// Two files have different figures of a commit.
    case conflict(path: String, other: String, commit: String, what: String)
    /// No row fits what was asked for.
    case nothingFits(path: String, what: String, hint: String)
    /// The result has nothing to keep.
    case noFigures(result: String, reason: String)
    /// A text can't stand in the file.
    case badText(name: String, text: String)

    /// 65: an input is to blame.
    package var exitCode: TrialExitCode { .badInput }
}

extension HistoryError: CustomStringConvertible {
    /// One line: where, what was found, and what to do.
    package var description: String {
        switch self {
        case .missing(let path):
            "\(path): there is no such file; 'history add RESULT --file \(path) --commit SHA' begins one"
        case .missingFolder(let path):
            "\(path): there is no such folder; make it, or name another --file"
        case .damaged(let path, let line, let problem):
            "\(path):\(line): \(problem); mend or remove the line, or take an earlier version of the file. "
                + "Nothing was changed"
        case .commitPresent(let path, let commit, let machineKind):
            "\(path): has figures of \(commit) on \(machineKind) already; --replace puts these in their place"
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
