import Foundation

/// Checks a file of suppressions: each rule hides races, so only a few are allowed, and each needs a reason.
enum SuppressionFile {
    /// How many rules a file may have.
    static let ruleCountMax = 3
    /// The most bytes of the file; three rules need no more.
    static let byteCountMax = 1 << 20
    /// The fewest letters of a pattern. A pattern with fewer letters is in most names: `race:*C*` hides everything.
    static let letterCountMin = 4

    /// The kinds of rules that the runtime knows; it ends the process at any other.
    private static let types = ["race", "race_top", "mutex", "thread", "signal", "called_from_lib", "deadlock"]

    /// The mistakes in the file at a path. O(size of the file).
    static func problems(path: String, shownAs name: String) -> [SanitizerOptionError] {
        let url = URL(fileURLWithPath: path).resolvingSymlinksInPath()
        // Only a regular file is read: a pipe would wait for a writer, and a device may have no end.
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: url.path) else {
            return [.unreadable(path: name, reason: "there is no such file")]
        }
        guard attributes[.type] as? FileAttributeType == .typeRegular else {
            return [.unreadable(path: name, reason: "it is not a file")]
        }
        guard let size = attributes[.size] as? Int, size <= byteCountMax else {
            return [.unreadable(path: name, reason: "it is larger than \(byteCountMax) bytes")]
        }
        guard let data = FileManager.default.contents(atPath: url.path) else {
            return [.unreadable(path: name, reason: "no permission, or the disk fails")]
        }
        return problems(in: data, path: name)
    }

    /// The mistakes in a file's contents. O(n).
    static func problems(in contents: some Sequence<UInt8>, path: String) -> [SanitizerOptionError] {
        var problems: [SanitizerOptionError] = []
        var ruleCount = 0
        var hasIssue = false
        let lines = Array(contents).split(separator: 0x0A, omittingEmptySubsequences: false)
        for (index, bytes) in lines.enumerated() {
            let line = trimmed(bytes)
            if line.first == UInt8(ascii: "#") {
                hasIssue = hasIssue || namesIssue(line.prefix(500).text)
            } else {
                if !line.isEmpty {
                    ruleCount += 1
                    var reasons = mistakes(in: line.text)
                    if !hasIssue {
                        reasons.append("a rule needs a comment with the URL of an upstream issue directly above it")
                    }
                    if ruleCount == ruleCountMax + 1 {
                        reasons.append("at most \(ruleCountMax) suppressions are allowed")
                    }
                    problems += reasons.map { .suppression(path: path, line: index + 1, reason: $0) }
                }
                hasIssue = false
            }
        }
        return problems
    }

    private static func mistakes(in rule: String) -> [String] {
        guard let colon = rule.firstIndex(of: ":"), types.contains(String(rule[..<colon])) else {
            return [
                "'\(rule.prefix(80))' is not a rule; write TYPE:PATTERN with a TYPE of \(types.joined(separator: ", "))"
            ]
        }
        let pattern = rule[rule.index(after: colon)...]
        var mistakes: [String] = []
        if pattern.contains("$") {
            mistakes.append(
                "'$' means the end of a name here, so a mangled name never matches; leave it out: 's4main' for '$s4main'"
            )
        }
        if pattern.count(where: { $0.isLetter || $0.isNumber }) < letterCountMin {
            mistakes.append(
                "'\(rule.prefix(80))' matches nearly everything; name a function or a file, with \(letterCountMin) letters or more"
            )
        }
        return mistakes
    }

    /// Whether a comment has the address of an issue, as the trackers of Swift, LLVM and others write them.
    private static func namesIssue(_ comment: String) -> Bool {
        comment.contains(#/https://[^\s/]+/\S*(?:issues/|pull/|show_bug\.cgi\?id=)[0-9]+/#)
    }

    private static func trimmed(_ bytes: Bytes) -> Bytes {
        func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }
        let bytes = bytes.drop(while: isBlank)
        guard let end = bytes.lastIndex(where: { !isBlank($0) }) else { return [] }
        return bytes[...end]
    }
}
