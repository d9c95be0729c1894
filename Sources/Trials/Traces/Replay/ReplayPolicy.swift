package import EvictionPolicies
import Foundation
import TrialModel

/// A policy that a trace can be replayed against, with its parameters and an admission in front of it: `lru`,
/// `s3-fifo(small=5%)` or `tinylfu+lru`.
package struct ReplayPolicy: Sendable {
    let known: KnownPolicy
    let settings: PolicySettings
    private let admission: (type: any AdmissionPolicy.Type, settings: PolicySettings)?
    /// How it is written: its name, and the parameters that are chosen.
    package let name: String

    init(_ known: KnownPolicy) { self.init(known, Choice()) }

    fileprivate init(_ known: KnownPolicy, _ choice: Choice, _ admission: (any AdmissionPolicy.Type, Choice)? = nil) {
        self.known = known
        settings = choice.settings
        let name = choice.name(of: known.declaration)
        self.name = admission.map { "\($1.name(of: $0.declaration))+\(name)" } ?? name
        self.admission = admission.map { ($0, $1.settings) }
    }

    /// Numbers within the ranges of their parameters.
    fileprivate struct Choice {
        var numbers: [PolicyParameter: Double] = [:]

        var settings: PolicySettings {
            numbers.reduce(into: PolicySettings()) { settings, choice in settings[choice.key] = choice.value }
        }

        func name(of declaration: PolicyDeclaration) -> String {
            let texts = declaration.parameters.compactMap { parameter in
                numbers[parameter].map { "\(parameter.name)=\(parameter.text($0))" }
            }
            return texts.isEmpty ? declaration.name : "\(declaration.name)(\(texts.joined(separator: ",")))"
        }
    }

    /// All policies, with the parameters of their sources.
    package static var all: [ReplayPolicy] { KnownPolicy.all.map(ReplayPolicy.init) }

    /// The policies of a replay when none are named.
    package static var defaults: [ReplayPolicy] {
        [.lru, .fifo, .clock, .sieve, .s3FIFO, .twoQueue, .arc, .lfu, .wTinyLFU, .lirs, .optimal]
    }

    package static let lru = ReplayPolicy(.lru)
    package static let fifo = ReplayPolicy(.fifo)
    package static let clock = ReplayPolicy(.clock)
    package static let sieve = ReplayPolicy(.sieve)
    package static let s3FIFO = ReplayPolicy(.s3FIFO)
    package static let twoQueue = ReplayPolicy(.twoQueue)
    package static let arc = ReplayPolicy(.arc)
    package static let lfu = ReplayPolicy(.lfu)
    package static let wTinyLFU = ReplayPolicy(.wTinyLFU)
    package static let lirs = ReplayPolicy(.lirs)
    package static let random = ReplayPolicy(.random)
    package static let none = ReplayPolicy(.none)
    package static let unbounded = ReplayPolicy(.unbounded)
    package static let optimal = ReplayPolicy(.optimal)

    package var declaration: PolicyDeclaration { known.declaration }

    /// The admissions that can be in front of a policy.
    package static var admissions: [PolicyDeclaration] { KnownPolicy.admissions.map { $0.declaration } }

    /// Replays requests with a capacity; `nil` for a bound that must know the future.
    func loop(_ capacity: PolicyCapacity) -> PolicyLoop? {
        guard case .online(let make) = known.work else { return nil }
        return make(capacity, settings, admission.map { $0.type.init(capacity: capacity, settings: $0.settings) })
    }

    /// Whether it is a bound that decides only when the whole trace was read.
    package var knowsFuture: Bool { clairvoyant != nil }

    /// What it must know of the future; `nil` for a policy that decides request by request.
    var clairvoyant: KnownPolicy.Clairvoyant? {
        if case .clairvoyant(let work) = known.work { work } else { nil }
    }
}

extension ReplayPolicy: Hashable {
    package static func == (left: ReplayPolicy, right: ReplayPolicy) -> Bool { left.name == right.name }

    package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// What is wrong with the text of a policy, and what is allowed.
package struct ReplayPolicyError: Error, Sendable, CustomStringConvertible {
    package let description: String
}

extension ReplayPolicy {
    /// How many policies one text may stand for.
    private static let countMax = 1_000
    /// How many values a range has.
    private static let rangeCount = 8

    /// Parses policies separated by commas.
    ///
    /// A policy is a name, such as `lru`, or a name with parameters, such as `s3-fifo(small=5%,ghosts=50%)`. A range, such as
    /// `small=1%..20%`, has eight values, each larger than the last by the same factor; a range of whole numbers has no
    /// value twice. An admission is in front of its policy, as `tinylfu+lru`. `all` is every policy.
    ///
    /// - Returns: the policies, each once, in their order.
    /// - Throws: ``ReplayPolicyError``.
    package static func parse(_ text: String) throws(ReplayPolicyError) -> [ReplayPolicy] {
        var policies: [ReplayPolicy] = []
        for part in parts(of: text) {
            policies += part == "all" ? all : try one(part)
            guard policies.count <= countMax else {
                throw ReplayPolicyError(description: "at most \(countMax) policies are allowed, ranges included.")
            }
        }
        guard !policies.isEmpty else { throw ReplayPolicyError(description: "no policy is named.") }
        var seen: Set<ReplayPolicy> = []
        return policies.filter { seen.insert($0).inserted }
    }

    /// The parts between commas that are not within parentheses.
    private static func parts(of text: String) -> [String] {
        var parts = [""]
        var depth = 0
        for character in text where character != " " {
            if character == "," && depth == 0 {
                parts.append("")
                continue
            }
            depth += character == "(" ? 1 : character == ")" ? -1 : 0
            parts[parts.count - 1].append(character)
        }
        return parts.filter { !$0.isEmpty }
    }

    private static func one(_ text: String) throws(ReplayPolicyError) -> [ReplayPolicy] {
        let halves = text.split(separator: "+", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let (known, chosen) = try named(halves[halves.count - 1], KnownPolicy.all, "policy", \.declaration)
        guard halves.count == 2 else { return chosen.map { ReplayPolicy(known, $0) } }
        if let reason = known.reasonAgainstAdmission {
            throw ReplayPolicyError(
                description:
                    "\(known.name) can't have an admission in front of it: \(reason); write \(known.name) alone.")
        }
        let (admission, own) = try named(halves[0], KnownPolicy.admissions, "admission") { $0.declaration }
        return own.flatMap { own in chosen.map { ReplayPolicy(known, $0, (admission, own)) } }
    }

    /// What a name with parameters means, and every combination of the values that it chooses.
    private static func named<Named>(
        _ text: String, _ known: [Named], _ kind: String, _ declaration: (Named) -> PolicyDeclaration
    ) throws(ReplayPolicyError) -> (Named, [Choice]) {
        let name = String(text.prefix { $0 != "(" })
        guard let found = known.first(where: { declaration($0).name == name }) else {
            let names = known.map { declaration($0).name } + (kind == "policy" ? ["all"] : [])
            throw ReplayPolicyError(
                description: "There is no \(kind) called '\(name)'; \(NearestName.hint(for: name, in: names))")
        }
        return (found, try choices(String(text.dropFirst(name.count)), of: declaration(found)))
    }

    /// The parameters within parentheses, every combination of their values.
    private static func choices(
        _ text: String, of declaration: PolicyDeclaration
    ) throws(ReplayPolicyError) -> [Choice] {
        guard !text.isEmpty else { return [Choice()] }
        guard text.hasPrefix("("), text.hasSuffix(")"), text.count > 2 else {
            throw ReplayPolicyError(
                description: "'\(declaration.name)\(text)': write parameters as \(declaration.name)(name=value,...).")
        }
        var choices = [Choice()]
        for part in text.dropFirst().dropLast().split(separator: ",", omittingEmptySubsequences: false) {
            let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard let parameter = declaration.parameters.first(where: { $0.name == sides[0] }) else {
                throw ReplayPolicyError(
                    description: "\(declaration.name) has no parameter '\(sides[0])'; \(declaration.parameterText)")
            }
            guard sides.count == 2, let values = parameter.values(of: sides[1], rangeCount), !values.isEmpty else {
                throw ReplayPolicyError(
                    description: "\(declaration.name): '\(part)' is not allowed; \(parameter.allowedText)")
            }
            guard choices.allSatisfy({ $0.numbers[parameter] == nil }) else {
                throw ReplayPolicyError(description: "\(declaration.name): '\(parameter.name)' is there twice.")
            }
            choices = choices.flatMap { choice in
                values.map { Choice(numbers: choice.numbers.merging([parameter: $0]) { $1 }) }
            }
            guard choices.count <= countMax else { break }
        }
        return choices
    }
}

extension PolicyDeclaration {
    /// What can be chosen of it, as a sentence.
    package var parameterText: String {
        parameters.isEmpty
            ? "it has none." : "it has " + parameters.map { "\($0.name), \($0.allowedText)" }.joined(separator: " ")
    }
}

extension PolicyParameter {
    /// The range and the standard, as a sentence.
    package var allowedText: String {
        let (low, high) = (text(range.lowerBound), text(range.upperBound))
        return "\(summary): from \(low) to \(high), or a range such as \(low)..\(high); \(text(standard)) by default."
    }

    /// How a number is written.
    package func text(_ number: Double) -> String {
        switch kind {
        case .share: DecimalText.shortest(number * 100, places: 4) + "%"
        case .count: DecimalText.shortest(number, places: 0)
        case .number: DecimalText.shortest(number, places: 9)
        }
    }

    /// The number, or the numbers of a range; `nil` when one is not within what is allowed.
    fileprivate func values(of text: String, _ count: Int) -> [Double]? {
        guard let dots = text.range(of: "..") else { return number(text).map { [$0] } }
        guard let low = number(String(text[..<dots.lowerBound])), let high = number(String(text[dots.upperBound...])),
            low < high
        else { return nil }
        // A range from 0 has no factor.
        let start = low > 0 ? low : min(high, max(range.upperBound / 1_000, kind == .count ? 1 : 0))
        let steps = (0..<count).map { start * pow(high / start, Double($0) / Double(count - 1)) }
        var values = (low > 0 ? [] : [low]) + steps.map(rounded)
        values[values.count - 1] = high
        return values.reduce(into: []) { if $0.last != $1 { $0.append($1) } }
    }

    private func number(_ text: String) -> Double? {
        guard let decimal = DecimalText(text), let number = kind == .share ? decimal.share : decimal.number,
            kind == .share || decimal.rest.isEmpty, kind != .count || decimal.fraction.isEmpty, range.contains(number)
        else { return nil }
        return number
    }

    /// A whole number, or three digits.
    private func rounded(_ number: Double) -> Double {
        guard kind != .count else { return number.rounded() }
        let unit = pow(10, floor(log10(number)) - 2)
        return (number / unit).rounded() * unit
    }
}
