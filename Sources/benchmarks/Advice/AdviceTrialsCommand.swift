import ArgumentParser
import CacheTrials

/// `advice`: how good the advice of `cache-trials advise` is.
struct AdviceTrialsCommand: ParsableCommand {
    /// What advice is judged on.
    enum Kind: String, ExpressibleByArgument, CaseIterable {
        case recorded, generated, speed
    }

    static let configuration = CommandConfiguration(
        commandName: "advice",
        abstract: "Asks for advice on traces, and judges it on requests that it has not seen.",
        discussion: """
            Examples:
              scripts/benchmark advice recorded traces/*.zst    first halves, judged on the second
              scripts/benchmark advice generated                knees that are known
              scripts/benchmark advice speed /tmp/long.oracleGeneral.bin

            Prints a line for each case, and then its counts. For 'speed' the file is
            generated if it is not there; the next run measures.
            """)

    @Argument(help: "What the advice is judged on: recorded traces, generated ones, or its speed.")
    var kind: Kind

    @Argument(help: "Recorded traces; for 'speed' the file to generate, or to measure.", completion: .file())
    var traces: [String] = []

    @Option(
        help: ArgumentHelp("How many requests 'speed' generates, from 10000 to 1000000000.", valueName: "n"))
    var requests = 10_000_000

    func validate() throws {
        try NumberArgument.check(requests, "requests", in: 10_000...1_000_000_000)
        let isRight =
            switch kind {
            case .recorded: !traces.isEmpty
            case .generated: traces.isEmpty
            case .speed: traces.count == 1
            }
        guard isRight else {
            throw ValidationError("Name traces for 'recorded', none for 'generated', and one file for 'speed'.")
        }
    }

    func run() throws {
        switch kind {
        case .recorded: try RecordedTrial.run(traces)
        case .generated: try GeneratedTrial.run()
        case .speed: try SpeedTrial.run(traces[0], requests: requests)
        }
    }
}
