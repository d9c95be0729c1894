import ArgumentParser
import Foundation
import Traces

/// What a miss costs, where the trace does not say it.
struct MissCostArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "What a miss takes, such as 40ms: then cost is time. (default: the trace's column 'cost')",
            valueName: "time"),
        transform: TimeArgument.parse)
    var originTime: Duration?

    @Option(
        help: ArgumentHelp(
            "How fast the origin delivers, such as 10MB/s: a miss of a large object then takes longer.",
            valueName: "rate"))
    var bandwidth: String?

    func validate() throws { _ = try missCost() }

    /// What a miss costs; `nil` where the trace says it, or nothing does.
    ///
    /// - Throws: `ValidationError`.
    func missCost() throws -> MissCost? {
        guard let bandwidth else {
            return originTime.map { MissCost(nanosecondsPerMiss: Double($0.nanoseconds), nanosecondsPerByte: 0) }
        }
        guard bandwidth.hasSuffix("/s"), case .bytes(let bytes) = ReplayCapacity(String(bandwidth.dropLast(2))) else {
            throw ValidationError("'--bandwidth \(bandwidth)': write bytes a second with a unit, such as 10MB/s.")
        }
        return MissCost(
            nanosecondsPerMiss: Double(originTime?.nanoseconds ?? 0), nanosecondsPerByte: 1e9 / Double(bytes))
    }

    /// For digests of a command.
    var text: String { "\(originTime?.nanoseconds ?? 0), \(bandwidth ?? "")" }
}
