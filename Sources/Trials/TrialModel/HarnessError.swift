/// An error of the harness or its environment; the message says what to do next.
package struct HarnessError: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}

/// The name of the running program: a package with its own strategies builds the same commands under another name.
package enum ProgramName {
    /// The file name of the running program, for usage lines and for commands that messages suggest.
    package static let current = name(ofFile: CommandLine.arguments.first ?? "")

    /// The last part of a path, or this package's own program name when a shell would need quotes. O(n).
    package static func name(ofFile path: String) -> String {
        let name = path.split(separator: "/").last.map(String.init) ?? ""
        return name.wholeMatch(of: /[A-Za-z0-9_][A-Za-z0-9_.+-]*/) == nil ? "cache-trials" : name
    }
}

extension String {
    /// The text as one word of a shell.
    package var shellQuoted: String {
        let isPlain = utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || "/._-+,=:%@".utf8.contains(byte)
        }
        if isPlain, !isEmpty { return self }
        return "'" + split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}
