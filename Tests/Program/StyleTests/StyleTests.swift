import Foundation
import Testing

/// The rules of the code that neither the compiler nor the formatter checks. Each test looks at all files, because a case
/// for each file would take longer than the rule.
@Suite(.timeLimit(.minutes(1)))
struct StyleTests {
    static let sources = SourceFile.all(in: "Sources")
    static let everything = sources + SourceFile.all(in: "Tests")

    @Test func `the rules look at the package's files`() {
        #expect(Self.sources.count > 50)
    }

    // A reader with an hour reads short files.
    @Test func `a file has at most 400 lines`() {
        #expect(Self.everything.filter { $0.lines.count > 400 }.map(\.path) == [])
    }

    @Test func `a function has at most 70 lines`() {
        #expect(Self.sources.flatMap(Self.longFunctions) == [])
    }

    @Test func `a function of 70 lines is seen, and one of 69 is not`() throws {
        let body = { Array(repeating: "        work()", count: $0) }
        let file = { SourceFile(path: "a.swift", lines: ["    func work() {"] + body($0) + ["    }"]) }
        #expect(Self.longFunctions(of: file(69)) == ["a.swift:1"])
        #expect(Self.longFunctions(of: file(68)) == [])
    }

    private static func longFunctions(of file: SourceFile) -> [String] {
        var long: [String] = []
        var start: (line: Int, indentation: Int)?
        for (index, line) in file.lines.enumerated() {
            if line.hasSuffix("}"), let opened = start {
                guard line.utf8.count == opened.indentation + 1 else { continue }
                if index - opened.line >= 70 { long.append("\(file.path):\(opened.line + 1)") }
                start = nil
            } else if line.contains("func ") || line.contains("init"),
                line.contains(/^\s*(?:[a-z@][A-Za-z()@_]*\s+)*(?:func|init|deinit)\b.*[^}]$/)
            {
                start = (index, line.utf8.prefix { $0 == UInt8(ascii: " ") }.count)
            }
        }
        return long
    }

    // It is built in the nightly tier alone, where a missing module is found too late.
    @Test func `the package of the fuzzer names every module that its targets import`() throws {
        let manifest = try #require(SourceFile(path: "Tests/Program/Fuzzing/Package.swift"))
        let text = manifest.lines.joined(separator: "\n")
        let modules = Set(text.matches(of: /name: "(\w+)"/).map { String($0.1) })
        let targets = text.split(separator: ".target(").compactMap { text in
            text.firstMatch(of: /path: "Project\/([\w\/]+)"/).map { (String(text.prefix { $0 != ")" }), String($0.1)) }
        }
        #expect(targets.count > 10)
        let missing = targets.flatMap { declaration, folder in
            SourceFile.all(in: "Sources/\(folder)").flatMap { file in
                file.lines.compactMap { $0.firstMatch(of: /^(?:\w+ )?import (\w+)$/).map { String($0.1) } }
                    .filter { modules.contains($0) && !declaration.contains("\"\($0)\"") }
                    .map { "\(file.path) imports \($0)" }
            }
        }
        #expect(missing == [])
    }

    // What comes from outside must never end the process.
    @Test func `nothing is forced`() {
        let forced = Self.sources.flatMap {
            $0.lines(matching: /\btry!|\bas!|\bfatalError\(/, with: "try!", "as!", "fatalError(")
        }
        #expect(forced == [])
    }

    // Strategies of other packages would be unknown to the verb that asks.
    @Test func `verbs ask for the registry of this program, not for what is built in`() {
        let verbs = SourceFile.all(in: "Sources/Program/CacheTrials")
        #expect(verbs.count > 20)
        #expect(verbs.flatMap { $0.lines(matching: /builtIn/, with: "builtIn") } == [])
    }

    // Reports races in correct code under contention; see reliability of Thread Sanitizer with futexes.
    @Test func `only the strategy that shows it uses a mutex of the Synchronization module`() {
        // Explorations of threads are tried on caches with such a mutex.
        let users = ["Sources/Strategies/CacheStrategies/Policies/StoreLock.swift", "Tests/Assurance/AtomicOrders/"]
        let others = Self.everything.filter { file in !users.contains { file.path.hasPrefix($0) } }
        #expect(others.flatMap { $0.lines(matching: /\bMutex[<(]/, with: "Mutex") } == [])
    }

    // One target knows how systems differ; an answer in two places is soon two answers. Foundation's own parts are modules of
    // their own on Linux alone, and only their users link them.
    @Test func `only the target Platform chooses a platform`() {
        let isElsewhere = { (file: SourceFile) in !file.path.hasPrefix("Sources/System/Platform/") }
        #expect(Self.sources.filter(isElsewhere).flatMap(Self.choices) == [])
        // A test may be of one system, but has its C library from the same place.
        #expect(Self.everything.filter(isElsewhere).flatMap(Self.importChoices) == [])
    }

    @Test func `a choice of a platform is seen, and one of an own feature is not`() {
        let choices = [
            "#if os(Linux)", "    #elseif !os(macOS)", "#if canImport(Glibc) && DEBUG", "#if canImport(System)",
        ]
        let others = [
            "#if HTTP", "// #if os(Linux)", "#if canImport(FoundationNetworking)", "let x = canImport(Glibc)",
        ]
        let file = SourceFile(path: "a.swift", lines: choices + others)
        #expect(Self.choices(in: file).count == choices.count)
        #expect(
            Self.importChoices(in: SourceFile(path: "a.swift", lines: ["#if os(Linux)", "    import Glibc"])).count == 1
        )
    }

    private static func choices(in file: SourceFile) -> [String] {
        file.lines(
            matching: /^\s*#(?:if|elseif)\b.*(?:\bos\(|\bcanImport\((?!Foundation))/, with: "#if", "#elseif")
    }

    private static func importChoices(in file: SourceFile) -> [String] {
        file.lines(matching: /^[\w@ ]*\bimport (?:Glibc|Musl|Darwin|System|SystemPackage)\b/, with: "import ")
    }

    @Test func `no marker is left over`() {
        // In parts, so that this file has none.
        let markers = [["TO", "DO"], ["FIX", "ME"], ["XX", "X:"], ["HA", "CK"]].map { $0.joined() }
        let marked = Self.everything.filter { $0.has(anyOf: markers) }.flatMap { file in
            file.lines.filter { line in markers.contains { line.contains($0) } }.map { "\(file.path): \($0)" }
        }
        #expect(marked == [])
    }

    // swift-format's own rule asks for less, and for `public` alone.
    @Test func `a package or public declaration outside an extension of members has a comment`() {
        let declaration =
            /^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:package|public)\s+(?:final\s+|static\s+|mutating\s+)*(?:func|struct|enum|actor|class|protocol)\s/
        let undocumented = Self.sources.flatMap { $0.declarations(matching: declaration, with: "package ", "public ") }
            .filter { $0.comment.isEmpty && !Self.isWitness($0.text) }
        #expect(undocumented.map(\.description) == [])
    }

    // What a user of the product reads in the documentation.
    @Test func `every public member has a comment`() {
        let declaration =
            /^\s*(?:@\w+(?:\([^)]*\))?\s+)*public\s+(?:[a-z]+(?:\(set\))?\s+)*(?:init|var|let|subscript|typealias)\b/
        let members = Self.sources.flatMap { $0.declarations(matching: declaration, with: "public ") }
        #expect(members.filter(\.comment.isEmpty).map(\.description) == [])
    }

    @Test func `a public function that throws says what and when`() {
        let declaration = /^\s*(?:@\w+(?:\([^)]*\))?\s+)*public\s+(?:[a-z]+\s+)*(?:func|init)\b/
        let silent = Self.sources.flatMap { $0.declarations(matching: declaration, with: "public ") }.filter {
            $0.signature.contains(/\)\s*(?:async\s+)?throws\b/) && !$0.comment.isEmpty
                && !$0.comment.contains("- Throws:") && !Self.isWitness($0.text)
        }
        #expect(silent.map(\.description) == [])
    }

    /// A member that fulfils a protocol's requirement is documented there.
    private static func isWitness(_ line: String) -> Bool {
        guard let name = line.firstMatch(of: /func ([A-Za-z]+|==)/)?.1 else { return false }
        return requirements.contains(String(name))
    }

    /// The names of the methods that the package's protocols, and those of its libraries, ask for.
    private static let requirements: Set<String> = {
        var names: Set = ["run", "validate", "encode", "hash", "=="]
        for file in sources where file.has(anyOf: ["protocol "]) {
            var isInProtocol = false
            for line in file.lines {
                if line.contains("protocol "), line.contains(#/^(?:package |public )?protocol /#) {
                    isInProtocol = true
                }
                if line == "}" { isInProtocol = false }
                if isInProtocol, let name = line.firstMatch(of: #/^ {4}(?:mutating |static )?func ([A-Za-z]+)/#)?.1 {
                    names.insert(String(name))
                }
            }
        }
        return names
    }()

    // A promise to the compiler that it can't check needs its proof beside it.
    @Test func `an unchecked Sendable says why it holds`() {
        for file in Self.sources where file.has(anyOf: ["@unchecked Sendable"]) {
            for (index, line) in file.lines.enumerated() where line.contains("@unchecked Sendable") {
                let near = file.lines[max(0, index - 6)...min(file.lines.count - 1, index + 6)]
                // A comment of documentation says what a type is for; the proof is for who reads the code.
                #expect(near.contains { $0.contains(/(?:^|\s)\/\/\s/) }, "\(file.path):\(index + 1)")
            }
        }
    }
}
