import Platform
package import TrialModel

/// Why a result folder could not be written or read. The description says what to do.
package enum ReportsError: Error, Hashable, Sendable {
    /// The folder holds the results of an earlier run.
    case alreadyHoldsResults(path: String)
    /// The folder holds something else.
    case notEmpty(path: String, found: String)
    /// The path is not a folder.
    case notAFolder(path: String)
    /// The folder holds no results.
    case noResults(path: String)
    /// The folder holds no results of any verb.
    case noSuchResults(path: String)
    /// Another run writes to the folder.
    case inUse(path: String)
    /// The disk is full, or a quota or a limit on the size of files is reached.
    case diskFull(path: String)
    /// The folder or the file may not be written.
    case notWritable(path: String, reason: String)
    /// Any other refusal of the system; `action` is what was tried, as in `write`.
    case system(action: String, path: String, reason: String)
    /// A file is larger than the limit for reading.
    case tooLarge(path: String, bytes: Int, limit: Int)
    /// A file is damaged, or was not written by this tool.
    case badFile(path: String, line: Int, problem: String)
    /// A file that the folder must have is missing.
    case missingFile(path: String)
    /// The columns of a file differ from those of this version.
    case otherColumns(path: String, missing: [String], unknown: [String])
    /// A file with a line for each run has other columns than this run's figures.
    case otherFigures(path: String, missing: [String], unknown: [String])
    /// A finished trial is not part of the plan of this run.
    case notInPlan(path: String, line: Int, what: String)
    /// The folder was made without the file of some rows.
    case noFile(folder: String, ResultFile)
    /// A file has no rows of a phase that completed.
    case missingRows(folder: String, ResultFolder.MissingRows)

    /// 65 when the folder's content is the cause, 2 when the environment is.
    package var exitCode: TrialExitCode {
        switch self {
        case .noResults, .noSuchResults, .tooLarge, .badFile, .missingFile, .otherColumns, .otherFigures, .notInPlan,
            .missingRows:
            .badInput
        default: .harnessTrouble
        }
    }

    /// The error of a system call that failed.
    static func failed(_ action: String, _ path: String, _ code: Int32) -> ReportsError {
        switch code {
        case ENOSPC, EDQUOT, EFBIG: .diskFull(path: path)
        case EACCES, EPERM, EROFS: .notWritable(path: path, reason: reason(code))
        case ENOTDIR: .notAFolder(path: path)
        default: .system(action: action, path: path, reason: reason(code))
        }
    }

    /// The system's own text for an error number.
    static func reason(_ code: Int32) -> String {
        guard let text = strerror(code) else { return "error \(code)" }
        return String(cString: text)
    }
}

extension ReportsError: CustomStringConvertible {
    /// One line: where, what was found, and what to do.
    package var description: String {
        switch self {
        case .alreadyHoldsResults(let path):
            "\(path): holds the results of an earlier run; choose another --output (`run` can continue it with --resume)"
        case .notEmpty(let path, let found):
            "\(path): holds \(found), which is not a result of a run; choose an empty folder with --output"
        case .notAFolder(let path):
            "\(path): is not a folder, or a part of its path is not a folder; choose another --output"
        case .noResults(let path):
            "\(path): holds no \(ResultFile.trials.rawValue), so it is not a result folder; check the path"
        case .noSuchResults(let path):
            "\(path): holds no trials.csv, races.csv, replay.csv or comparison.csv, so it is not a result folder; check the path"
        case .inUse(let path):
            "\(path): another run writes there; wait for it to end, or choose another --output"
        case .diskFull(let path):
            "\(path): no space left (disk, quota or limit on file sizes); free some, then start again (`run` can continue with --resume)"
        case .notWritable(let path, let reason):
            "\(path): can't be written (\(reason)); choose another --output, or change its permissions"
        case .system(let action, let path, let reason):
            "\(path): could not \(action): \(reason)"
        case .tooLarge(let path, let bytes, let limit):
            "\(path): has \(bytes) bytes, and \(limit) are allowed; was it written by another program?"
        case .badFile(let path, let line, let problem):
            "\(path):\(line): \(problem); fix or remove the line, or start over in another --output"
        case .missingFile(let path):
            "\(path): is missing; check the path of the folder, or start over in another --output"
        case .otherColumns(let path, let missing, let unknown):
            "\(path):1: not the columns of this version" + Self.names(missing: missing, unknown: unknown)
                + (missing.isEmpty && unknown.isEmpty ? ", which have another order" : "")
                + "; start over in another --output"
        case .otherFigures(let path, let missing, let unknown):
            "\(path):1: not the columns of this run's metrics" + Self.names(missing: missing, unknown: unknown)
                + "; no line was added. Run what the file is about, or begin another file"
        case .notInPlan(let path, let line, let what):
            "\(path):\(line): \(what) is not part of this run; pass the scenarios that the folder was made from, "
                + "or choose another --output"
        case .noFile(let folder, let file):
            "\(folder): was made without \(file.rawValue), and there are rows for it; this is a defect of the program, please "
                + "report it"
        case .missingRows(let folder, let missing):
            "\(folder)/\(missing.description), though trials.csv says that it completed; put the file back as it was, or remove "
                + "the trial's rows from trials.csv to run it again, or choose another --output"
        }
    }
    private static func names(missing: [String], unknown: [String]) -> String {
        (missing.isEmpty ? "" : ", missing: \(missing.joined(separator: ", "))")
            + (unknown.isEmpty ? "" : ", unknown: \(unknown.joined(separator: ", "))")
    }
}
