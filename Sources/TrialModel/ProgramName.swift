/// What the running program is called: a package with strategies of its own gives the verbs another name.
package enum ProgramName {
    /// The name of the program's file as it was started, for usage lines and for the commands that messages tell to run.
    package static let current = name(ofFile: CommandLine.arguments.first ?? "")

    /// The last part of a path; this package's own program's where a shell would need it quoted. O(n).
    package static func name(ofFile path: String) -> String {
        let name = path.split(separator: "/").last.map(String.init) ?? ""
        return name.wholeMatch(of: /[A-Za-z0-9_][A-Za-z0-9_.+-]*/) == nil ? "cache-trials" : name
    }
}
