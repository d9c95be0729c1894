package import TrialModel

extension LatencyObjective {
    /// Parses a text such as `p99 <= 5 ms` or `p50 of write <= 20 us`.
    ///
    /// - Throws: ``ObjectiveError`` when the text is not an objective; it says what is wrong and what is allowed.
    package init(text: String) throws(ObjectiveError) {
        let sides = text.split(separator: "<=", omittingEmptySubsequences: false)
        guard sides.count == 2 else { throw ObjectiveError(problem: "'\(ScenarioMessage.quote(text))' has no '<='") }
        let words = sides[0].split(whereSeparator: \.isWhitespace).map(String.init)
        guard let name = words.first, words.count == 1 || (words.count == 3 && words[1] == "of") else {
            throw ObjectiveError(problem: "'\(ScenarioMessage.quote(String(sides[0])))' is no figure")
        }
        guard let figure = Figure(rawValue: name) else {
            throw ObjectiveError(problem: "'\(ScenarioMessage.quote(name))' is no figure")
        }
        var operation: OperationKind?
        if words.count == 3 {
            operation = OperationKind(rawValue: words[2])
            guard operation != nil else {
                throw ObjectiveError(problem: "'\(ScenarioMessage.quote(words[2]))' is no operation")
            }
        }
        let limitText = sides[1].drop(while: \.isWhitespace)
        guard let decimal = DecimalText(String(limitText)),
            let unit = AmountUnit.units(of: .time).first(where: { $0.name == decimal.rest }),
            let limit = decimal.amount(times: unit.scale), ScenarioLimits.objective.range.contains(limit)
        else {
            throw ObjectiveError(
                problem: "'\(ScenarioMessage.quote(String(limitText)))' is not \(ScenarioLimits.objective.allowed)")
        }
        self.init(figure: figure, operation: operation, limit: limit)
    }

    /// The allowed form of a text, for messages.
    static var allowedText: String {
        "a limit such as p99 <= 5 ms or p50 of write <= 20 us, with one of "
            + ScenarioMessage.list(Figure.allCases.map(\.rawValue))
    }
}

/// The error of a text that is not a latency objective.
package struct ObjectiveError: Error, Hashable, Sendable, CustomStringConvertible {
    let problem: String

    package var description: String { "\(problem); write \(LatencyObjective.allowedText)" }
}
