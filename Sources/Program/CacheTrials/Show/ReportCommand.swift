import ArgumentParser
import BuiltInStrategies
import ReportPage
import Reports
import TrialModel

/// `report`: shows results as a page, and as a summary.
struct ReportCommand: Verb {
    /// What can be written.
    enum Form: String, ExpressibleByArgument, CaseIterable {
        case html, markdown
    }

    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Writes report.html, a page with tables and charts, and summary.md.",
        discussion: """
            Examples:
              \(ThisProgram.name) report Results/monday
              \(ThisProgram.name) report Results/monday --output monday.html
              \(ThisProgram.name) report Results/monday --format markdown --output -
              \(ThisProgram.name) report Results/run Results/races   both on one page
              \(ThisProgram.name) report Results/new Results/comparison
              \(ThisProgram.name) report Results/monday --picture monday.svg

            The page is one file that works offline and loads nothing. It accepts the
            folders of run, races, replay and compare, and those of an interrupted run.
            Both files go into the first folder, unless --output names a file.
            """)

    @Argument(help: ArgumentHelp("Result folders.", valueName: "result"), completion: .directory)
    var results: [String]

    @Option(
        help: ArgumentHelp(
            "The file to write, instead of those in the result folder; - for standard output.", valueName: "file"),
        completion: .file())
    var output: String?

    @Option(
        help: ArgumentHelp(
            "Only this format: html or markdown. (default: both, or what the name of --output ends with)",
            valueName: "form"))
    var format: Form?

    @Option(
        help: ArgumentHelp("Also write a picture of the first scenario: SVG, light and dark.", valueName: "file"),
        completion: .file(extensions: ["svg"]))
    var picture: String?

    func validate() throws {
        guard !results.isEmpty else { throw ValidationError("Name a result folder.") }
        if results.contains("") { throw ValidationError("A result folder needs a name.") }
        if output?.isEmpty == true { throw ValidationError("'--output' needs the name of a file.") }
        if picture?.isEmpty == true { throw ValidationError("'--picture' needs the name of a file.") }
        if picture == "-", output == "-" { throw ValidationError("Only one of them can go to standard output.") }
    }

    func carryOut() throws -> TrialExitCode {
        let page = try ReportPage.read(results)
        for (form, path) in files { try write(form == .html ? page.html : page.markdown, to: path) }
        guard let picture else { return .passed }
        guard let drawing = page.picture else {
            throw Refusal("\(results[0]): holds nothing to draw; leave out --picture")
        }
        try write(drawing, to: picture)
        return .passed
    }

    /// What is written where.
    private var files: [(Form, String)] {
        if let output {
            let isMarkdown = output.hasSuffix(".md") || output.hasSuffix(".markdown")
            return [(format ?? (isMarkdown ? .markdown : .html), output)]
        }
        let all = [(Form.html, "\(results[0])/report.html"), (.markdown, "\(results[0])/summary.md")]
        return all.filter { format == nil || format == $0.0 }
    }

    /// Writes a text, and then reports its path on standard error.
    private func write(_ text: String, to path: String) throws {
        if path == "-" { return try StandardOutput.write(text) }
        try ResultFolder.writeText(text, to: path)
        StandardError.write("Wrote \(path)")
    }
}

extension ReportPage {
    /// The page of result folders.
    static func read(_ paths: [String]) throws(ReportsError) -> ReportPage {
        let registry = StrategyRegistry.current
        return ReportPage(
            try ReportContent.read(
                paths, marks: registry.marks, contracts: registry.contracts, abilities: registry.abilities))
    }
}
