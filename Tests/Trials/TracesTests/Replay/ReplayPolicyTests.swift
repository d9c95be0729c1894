import Foundation
import Testing
import TrialModel

@testable import EvictionPolicies
@testable import Traces

/// How users write policies.
@Suite(.timeLimit(.minutes(5)))
struct ReplayPolicyTests {
    private static func names(_ text: String) throws -> [String] { try ReplayPolicy.parse(text).map(\.name) }

    private static func refusal(_ text: String) -> String {
        do {
            return "accepted: \(try ReplayPolicy.parse(text).map(\.name))"
        } catch {
            return error.description
        }
    }

    @Test func `policies are separated by commas outside of parentheses, each once`() throws {
        let text = "lru, s3-fifo(small=5%,ghosts=0.5),lru"
        #expect(try Self.names(text) == ["lru", "s3-fifo(small=5%,ghosts=50%)"])
        #expect(try Self.names("all") == KnownPolicy.all.map(\.name))
    }

    @Test func `a range has eight values from its start to its end`() throws {
        let names = try Self.names("s3-fifo(small=1%..20%)")
        #expect(names.count == 8 && names.first == "s3-fifo(small=1%)" && names.last == "s3-fifo(small=20%)")
        #expect(try Self.names("s3-fifo(small=1%..20%,ghosts=0%..90%)").count == 72)
    }

    @Test(arguments: KnownPolicy.all.map(\.name)) func `every parameter takes the ends of its range`(
        name: String
    ) throws {
        let known = try #require(KnownPolicy.all.first { $0.name == name })
        for parameter in known.declaration.parameters {
            for end in [parameter.range.lowerBound, parameter.range.upperBound, parameter.standard] {
                let text = "\(name)(\(parameter.name)=\(parameter.text(end)))"
                #expect(try ReplayPolicy.parse(text).map { $0.settings[parameter] } == [end], "\(text)")
            }
        }
    }

    @Test(arguments: [
        ("lur", "There is no policy called 'lur'; did you mean 'lru'?"),
        ("", "no policy is named."),
        ("lru(size=3)", "lru has no parameter 'size'; it has none."),
        ("s3-fifo(smal=5%)", "s3-fifo has no parameter 'smal'; it has small, "),
        ("s3-fifo(small=95%)", "s3-fifo: 'small=95%' is not allowed; "),
        ("s3-fifo(small=)", "s3-fifo: 'small=' is not allowed; "),
        ("s3-fifo(small=20%..1%)", "s3-fifo: 'small=20%..1%' is not allowed; "),
        ("s3-fifo(small=5%,small=6%)", "s3-fifo: 'small' is there twice."),
        ("s3-fifo(small=5%", "'s3-fifo(small=5%': write parameters as s3-fifo(name=value,...)."),
        ("s3-fifo()", "'s3-fifo()': write parameters as s3-fifo(name=value,...)."),
    ]) func `a mistake is answered with what is allowed`(text: String, answer: String) {
        #expect(Self.refusal(text).hasPrefix(answer), "\(Self.refusal(text))")
    }

    @Test func `a parameter changes what the policy decides`() throws {
        let path = try TraceReplayTests.lirs(TraceReplayTests.keys(seed: 5))
        let policies = try ReplayPolicy.parse("s3-fifo,s3-fifo(small=10%,ghosts=90%),s3-fifo(small=60%)")
        let outcome = try TraceReplay(policies: policies, capacities: [.entries(60)]).run(path: path)
        let misses = outcome.results.map(\.counts.misses)
        #expect(misses[0] == misses[1] && misses[0] != misses[2])
    }

    @Test func `a declaration says all that the page of policies needs`() {
        for policy in KnownPolicy.all.map(\.declaration) {
            #expect(policy.name.allSatisfy { $0.isLowercase || $0.isNumber || $0 == "-" }, "\(policy.name)")
            #expect(!policy.summary.isEmpty && !policy.source.isEmpty && !policy.agreement.isEmpty, "\(policy.name)")
            #expect(policy.advice.hasSuffix("."), "\(policy.name)")
            for parameter in policy.parameters {
                #expect(parameter.range.contains(parameter.standard), "\(policy.name) \(parameter.name)")
            }
        }
        #expect(Set(KnownPolicy.all.map(\.name)).count == KnownPolicy.all.count)
    }
}

/// What hits save, where misses cost different amounts.
@Suite(.timeLimit(.minutes(5)))
struct MissCostTests {
    private static let trace = "key,size,cost\na,10,5\nb,20,100\na,10,5\nb,20,100\nc,1,5\nc,1,5\n"

    private static func counts(_ capacities: [ReplayCapacity] = [.entries(1)]) throws -> [ReplayCounts] {
        let path = try TraceReplayTests.file(trace)
        return try TraceReplay(policies: [.lru], capacities: capacities).run(path: path).results.map(\.counts)
    }

    @Test func `the costs of a trace are those of its requests`() throws {
        let counts = try #require(Self.counts().first)
        #expect(counts.hits == 1 && counts.costRequested == 220 && counts.costHit == 5)
        let share: Double = 5 / 220
        #expect(counts.costSaved(nil) == share)
    }

    @Test func `three sizes of LRU have the costs of one`() throws {
        let counts = try Self.counts([.entries(1), .entries(2), .entries(3)])
        #expect(counts.map(\.costHit) == [5, 110, 110])
    }

    @Test func `a time and a bandwidth are a cost without a column`() throws {
        let counts = try #require(Self.counts([.entries(2)]).first)
        // Hits: a, b and c, of 10, 20 and 1 bytes; all requests have 62.
        let cost = MissCost(nanosecondsPerMiss: 100, nanosecondsPerByte: 2)
        let share: Double = 362 / 724
        #expect(counts.costSaved(cost) == share)
        #expect(counts.costSaved(MissCost(nanosecondsPerMiss: 0, nanosecondsPerByte: 0)) == nil)
    }
}

/// `Results/reference/data/policies.csv`.
@Suite(.timeLimit(.minutes(5)))
struct PolicyPageTests {
    private static let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Results/reference/data/policies.csv")

    private static func lines(_ table: String, _ declarations: [PolicyDeclaration]) -> [String] {
        declarations.map { policy in
            let parameters = policy.parameters.map { "\($0.name): \($0.allowedText)" }.joined(separator: "; ")
            let values = [
                table, policy.name, policy.summary, policy.advice, policy.source, policy.agreement, parameters,
            ]
            return values.map { "\"\($0.replacing("\"", with: "\"\""))\"" }.joined(separator: ",")
        }
    }

    @Test func `the data have of each policy what its declaration says`() throws {
        let lines =
            ["table,policy,idea,when to use it,source,agrees with,parameters"]
            + Self.lines("policies", KnownPolicy.all.map(\.declaration))
            + Self.lines("admissions", ReplayPolicy.admissions)
        let wanted = lines.joined(separator: "\n") + "\n"
        if ProcessInfo.processInfo.environment["UPDATE_POLICIES"] != nil {
            try Data(wanted.utf8).write(to: Self.file)
        } else {
            let found = try String(contentsOf: Self.file, encoding: .utf8)
            #expect(found == wanted, "UPDATE_POLICIES=1 scripts/test --filter PolicyPageTests writes it")
        }
    }
}
