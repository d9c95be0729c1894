import Foundation

/// Reads the lines of a log and extracts the reports.
struct LogScanner {
    private(set) var reports: [SanitizerReport] = []
    private(set) var failures = RuntimeFailures()
    private(set) var suppressed: UInt64 = 0
    private var open: OpenReport?
    private var demangler = Demangler()

    /// The start of the line that says how many reports were suppressed, with `print_suppressions=1`.
    private static let matched = "ThreadSanitizer: Matched "
    /// The line around a report.
    private static let fence = "=================="

    /// Reads a whole log. O(n).
    mutating func scan(_ bytes: [UInt8]) {
        var start = 0
        while start < bytes.count {
            let end = Self.lineFeed(in: bytes, from: start)
            let line = bytes[start..<(end ?? bytes.count)]
            read(line.withoutColours, isWhole: end != nil)
            start = (end ?? bytes.count) + 1
        }
        close(isComplete: false)
    }

    private mutating func read(_ line: Bytes, isWhole: Bool) {
        if let heading = ReportHeading(line) {
            close(isComplete: false)
            open = OpenReport(heading: heading, line: line.text)
        } else if open != nil {
            // Program output without a line break may precede it.
            if line.ends(with: Self.fence) {
                close(isComplete: true)
            } else {
                // The runtime can fail, and a signal arrive, while it writes a report.
                failures.read(line)
                open?.read(line, isWhole: isWhole, demangler: &demangler)
            }
        } else if line.begins(with: Self.matched) {
            let digits = line.dropFirst(Self.matched.utf8.count).prefix { (0x30...0x39).contains($0) }
            suppressed &+= UInt64(digits.text) ?? 0
        } else {
            failures.read(line)
        }
    }

    private mutating func close(isComplete: Bool) {
        guard let report = open?.finished(isComplete: isComplete) else {
            open = nil
            return
        }
        reports.append(report)
        open = nil
    }

    private static func lineFeed(in bytes: [UInt8], from start: Int) -> Int? {
        bytes.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress, let found = memchr(base + start, 0x0A, bytes.count - start) else {
                return nil
            }
            return UnsafeRawPointer(found) - base
        }
    }
}

/// The first line of a report: `WARNING: ThreadSanitizer: data race (pid=12)`.
struct ReportHeading {
    let kind: String
    let processIdentifier: Int

    /// Nil for any other line; a warning without `(pid=` is a problem of the runtime itself. O(length of the line).
    init?(_ line: Bytes) {
        let start = "WARNING: ThreadSanitizer: "
        guard line.begins(with: start), line.last == UInt8(ascii: ")"), let open = line.last("(") else { return nil }
        let number = line[open...].dropLast()
        guard number.begins(with: "(pid="), let identifier = Int(number.dropFirst(5).text), identifier >= 0 else {
            return nil
        }
        let kind = line[(line.startIndex + start.utf8.count)..<open]
        guard kind.last == UInt8(ascii: " "), kind.count > 1 else { return nil }
        self.kind = kind.dropLast().text
        self.processIdentifier = identifier
    }
}

/// A report while its lines are read.
struct OpenReport {
    private let heading: ReportHeading
    private var accesses: [MemoryAccess] = []
    private var lines: [String]
    /// Whether the next frames belong to the last access.
    private var isInAccess = false

    init(heading: ReportHeading, line: String) {
        self.heading = heading
        self.lines = [line]
    }

    mutating func read(_ line: Bytes, isWhole: Bool, demangler: inout Demangler) {
        lines.append(demangler.line(line))
        guard isWhole else { return }
        if line.begins(with: "    #") {
            guard isInAccess, let frame = StackFrame(line: line, demangler: &demangler) else { return }
            accesses[accesses.count - 1].frames.append(frame)
        } else if let access = MemoryAccess(heading: line) {
            accesses.append(access)
            isInAccess = true
        } else if line.isEmpty || line.begins(with: "  ") {
            // Output of the program's other threads may appear between two frames; it ends nothing.
            isInAccess = false
        }
    }

    /// The report; nil if it was cut off before it had any content.
    func finished(isComplete: Bool) -> SanitizerReport? {
        guard isComplete || !accesses.isEmpty else { return nil }
        return SanitizerReport(
            kind: heading.kind, processIdentifier: heading.processIdentifier, accesses: accesses,
            text: lines.joined(separator: "\n"), isComplete: isComplete)
    }
}
