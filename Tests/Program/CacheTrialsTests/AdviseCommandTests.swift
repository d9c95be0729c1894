import CacheStrategies
import Foundation
import Testing

/// `advise` from the command line.
@Suite(.timeLimit(.minutes(10)))
struct AdviseCommandTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A loop over more keys than the cache holds, which LRU never hits.
    private func loop(of keys: Int, requests: Int) throws -> String {
        try folder.write((0..<requests).map { "\($0 % keys)\n" }.joined(), to: "loop.lirs")
    }

    @Test func `a loop gets another policy than LRU, a page, and a scenario that is good`() async throws {
        let trace = try loop(of: 120, requests: 30_000)
        let page = "\(folder.path)/advice.html"
        let scenario = "\(folder.path)/advice.yaml"
        let ending = await Program.here(
            ["advise", trace, "--budget", "100", "--jobs", "1", "--page", page, "--write-scenario", scenario])
        #expect(ending.exitCode == 0, "\(ending.errors)")
        #expect(ending.output.contains("Take ") && !ending.output.contains("Take lru with"), "\(ending.output)")
        #expect(ending.output.contains("a loop of about 117 keys"), "\(ending.output)")
        #expect(try String(contentsOfFile: page, encoding: .utf8).contains("<svg"))
        let checked = await Program.here("validate", scenario)
        #expect(checked.exitCode == 0, "\(checked.errors)")
    }

    @Test func `the reason given for a policy does not contradict the choice`() async throws {
        let ending = await Program.here("advise", "\(Program.root)/Scenarios/sample.csv.zst", "--budget", "5%")
        let policy = try #require(ending.output.split(separator: "\n").first { $0.hasPrefix("policy ") })
        #expect(policy.contains("within noise") || policy.contains("too little") || policy.contains("the best of"))
        #expect(
            ending.output.contains("\nrunner-up ") && ending.output.contains("\nprice if wrong "), "\(ending.output)")
    }

    @Test func `a refusal names no policy and no size`() async throws {
        let ending = await Program.here("advise", try loop(of: 50, requests: 60), "--budget", "100", "--jobs", "1")
        let first = ending.output.split(separator: "\n").map { $0.prefix { $0 != " " } }
        #expect(ending.exitCode == 1 && !first.contains("policy") && !first.contains("size"), "\(ending.output)")
    }

    @Test func `numbers for programs have their errors`() async throws {
        let trace = try loop(of: 120, requests: 30_000)
        let ending = await Program.here("advise", trace, "--budget", "100", "--jobs", "1", "--format", "json")
        let lines = try JSONDecoder().decode([[String: JSONValue]].self, from: Data(ending.output.utf8))
        let ratio = try #require(lines.first { $0["what"] == .text("hit ratio") })
        guard case .number(let value)? = ratio["value"], case .number? = ratio["error"] else {
            Issue.record("\(ratio)")
            return
        }
        #expect((0...1).contains(value))
    }

    @Test func `the sample trace has an advice`() async throws {
        let ending = await Program.here("advise", "\(Program.root)/Scenarios/sample.csv.zst")
        #expect(ending.exitCode == 0 && ending.output.contains("Take w-tinylfu with "), "\(ending.output)")
        let heads = ending.output.split(separator: "\n")[1].split(separator: " ")
        #expect(heads == ["what", "advice"], "numbers for programs repeat the text: \(ending.output)")
    }

    @Test func `a format that is named is the one that is read`() async throws {
        let trace = try folder.write(
            "time,key\n" + (0..<30_000).map { "\($0),\($0 % 120)\n" }.joined(), to: "loop.lirs")
        let ending = await Program.here(
            "advise", trace, "--trace-format", "csv", "--budget", "100", "--jobs", "1")
        #expect(ending.exitCode == 0 && ending.output.contains("a loop of about 117 keys"), "\(ending.output)")
    }

    @Test func `no scenario is written that could not be run, or without an advice`() async throws {
        let scenario = "\(folder.path)/advice.yaml"
        let trace = try loop(of: 120, requests: 30_000)
        let spaced = await Program.here(
            "advise", trace, "--budget", "100", "--jobs", "1", "--write-scenario", "\(folder.path)/a b.yaml")
        #expect(spaced.exitCode == 65 && spaced.errors.contains("no scenario that can be run"), "\(spaced.errors)")
        let short = try folder.write("1\n2\n1\n", to: "short.lirs")
        let none = await Program.here(
            "advise", short, "--budget", "100", "--jobs", "1", "--write-scenario", scenario)
        #expect(none.exitCode == 1, "\(none.errors)")
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(left.filter { $0.hasSuffix(".yaml") } == [])
    }

    @Test func `a trace that is too short ends with 1, and says what to record`() async throws {
        let trace = try loop(of: 50, requests: 60)
        let ending = await Program.here("advise", trace, "--budget", "100", "--jobs", "1")
        #expect(ending.exitCode == 1, "\(ending.output)")
        #expect(ending.output.contains("No advice: ") && ending.output.contains("ecord"), "\(ending.output)")
    }

    @Test(arguments: [
        (["--budget", "64MiB"], 65, "has no sizes"),
        (["--budget", "many"], 64, "is not a size"),
        (["--worth", "1ms/MiB"], 64, "--origin-time"),
        (["--worth", "1ms", "--origin-time", "40ms"], 64, "such as 1ms/MiB"),
        (["--worth", "1ms/MiB", "--origin-time", "40ms", "--budget", "100"], 64, "name one of them"),
        (["--bandwidth", "fast"], 64, "such as 10MB/s"),
    ]) func `what can't be advised is answered with what to do`(
        options: [String], code: Int32, text: String
    ) async throws {
        let ending = await Program.here(["advise", try loop(of: 120, requests: 3_000)] + options)
        #expect(ending.exitCode == code && ending.errors.contains(text), "\(ending.errors)")
    }

    private func meter(_ lookups: Int = 20_000) throws -> String { try folder.writeMeter(lookups) }

    @Test func `the report of a meter is judged like a trace`() async throws {
        let page = "\(folder.path)/advice.html"
        let ending = await Program.here(["advise", try meter(), "--page", page])
        #expect(ending.exitCode == 0 && ending.output.contains(" 167 entries"), "\(ending.output)\(ending.errors)")
        #expect(ending.output.contains("a meter of the cache, over 100.0 % of the keys"))
        #expect(try String(contentsOfFile: page, encoding: .utf8).contains("<svg"))
    }

    @Test(arguments: [
        (
            ["--budget", "400"], 65,
            "The meter did not try this size; it tried 8, 13, 22, 36, 60, 100, 167, 278 entries"
        ),
        (["--columns", "key"], 64, "is the report of a meter, and no option says how to read it"),
        (["--write-scenario", "new.yaml"], 64, "needs a trace to replay"),
        (["--origin-time", "40ms", "--bandwidth", "10MB/s"], 65, "counts misses and not their bytes"),
    ]) func `what a meter can't tell is answered with what to do`(
        options: [String], code: Int32, text: String
    ) async throws {
        let ending = await Program.here(["advise", try meter()] + options)
        #expect(ending.exitCode == code && ending.errors.contains(text), "\(ending.exitCode): \(ending.errors)")
    }

    @Test(arguments: [
        ("{}", "this is not the report of a CacheMeter: it has no key"), ("", "is empty, or larger"),
        ("\u{0}\u{1}", "it is not JSON"),
    ])
    func `JSON of other programs is refused`(text: String, reason: String) async throws {
        let ending = await Program.here("advise", try folder.write(text, to: "other.json"))
        #expect(ending.exitCode == 65 && ending.errors.contains(reason), "\(ending.errors)")
    }

    @Test func `a meter that has hardly run gives no advice`() async throws {
        let ending = await Program.here("advise", try meter(400))
        #expect(ending.exitCode == 65 && ending.errors.contains("has not run for long enough"), "\(ending.errors)")
    }

    @Test func `a scenario file that exists is kept`() async throws {
        let kept = try folder.write("mine\n", to: "mine.yaml")
        let ending = await Program.here("advise", try loop(of: 120, requests: 3_000), "--write-scenario", kept)
        #expect(ending.exitCode == 64)
        #expect(try String(contentsOfFile: kept, encoding: .utf8) == "mine\n")
    }
}

/// A value of a table in JSON.
private enum JSONValue: Decodable, Equatable {
    case text(String)
    case number(Double)
    case none

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let text = try? container.decode(String.self) {
            self = .text(text)
        } else if let number = try? container.decode(Double.self) {
            self = .number(number)
        } else {
            self = .none
        }
    }
}

extension TemporaryFolder {
    /// The report of a meter of a cache with 100 entries, over a loop of 150 keys.
    func writeMeter(_ lookups: Int = 20_000) throws -> String {
        let meter = CacheMeter<Int>(capacity: .entries(100), costShare: 1)
        for index in 0..<lookups {
            meter.noteLookup(index % 150)
            if index % 100 == 99 { meter.digest() }
        }
        let path = "\(path)/meter.json"
        try meter.report().write(to: URL(fileURLWithPath: path))
        return path
    }
}
