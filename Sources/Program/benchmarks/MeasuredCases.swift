import ArgumentParser

/// A case whose finding is known beforehand.
protocol MeasuredCase {
    static var all: [Self] { get }
    var name: String { get }
}

/// The option that chooses cases.
struct CaseArguments<Case: MeasuredCase>: ParsableArguments {
    @Option(help: ArgumentHelp("Only these cases, separated by commas.", valueName: "names"))
    var cases: String?

    private var names: [String] { cases?.split(separator: ",").map(String.init) ?? [] }

    /// The cases that are named; all without a name.
    var chosen: [Case] { Case.all.filter { names.isEmpty || names.contains($0.name) } }

    func validate() throws {
        let known = Case.all.map(\.name)
        if let name = names.first(where: { !known.contains($0) }) {
            throw ValidationError("'--cases': there is no '\(name)'. There are: \(known.joined(separator: ", ")).")
        }
    }
}
