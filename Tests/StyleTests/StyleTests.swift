import Foundation
import Testing

/// The rules of the code that neither the compiler nor the formatter checks.
@Suite(.timeLimit(.minutes(1)))
struct StyleTests {
    static let sources = SourceFile.all(in: "Sources")
    static let everything = sources + SourceFile.all(in: "Tests")

    @Test func `the rules look at the package's files`() {
        #expect(Self.sources.count > 50)
    }

    // A reader with an hour reads short files.
    @Test(arguments: everything) func `a file has at most 400 lines`(file: SourceFile) {
        #expect(file.lines.count <= 400)
    }

    @Test(arguments: sources) func `a function has at most 70 lines`(file: SourceFile) {
        var start: (line: Int, indentation: Int)?
        for (index, line) in file.lines.enumerated() {
            let indentation = line.prefix { $0 == " " }.count
            if line.contains(/^\s*(?:[a-z@][A-Za-z()@_]*\s+)*(?:func|init|deinit)\b.*[^}]$/) {
                start = (index, indentation)
            }
            if let opened = start, line == String(repeating: " ", count: opened.indentation) + "}" {
                #expect(index - opened.line < 70, "\(file.path):\(opened.line + 1)")
                start = nil
            }
        }
    }

    // What comes from outside must never end the process.
    @Test(arguments: sources) func `nothing is forced`(file: SourceFile) {
        #expect(file.lines(matching: /\btry!|\bas!|\bfatalError\(/) == [])
    }

    // Strategies of other packages would be unknown to the verb that asks.
    @Test func `verbs ask for the registry of this program, not for what is built in`() {
        let verbs = SourceFile.all(in: "Sources/CacheTrials")
        #expect(verbs.count > 20)
        #expect(verbs.flatMap { $0.lines(matching: /builtIn/) } == [])
    }

    // Reports races in correct code under contention; see reliability of Thread Sanitizer with futexes.
    @Test(arguments: everything) func `no mutex of the Synchronization module is used`(file: SourceFile) {
        #expect(file.lines(matching: /\bMutex[<(]/) == [])
    }

    @Test(arguments: everything) func `no marker is left over`(file: SourceFile) {
        let marker = try? Regex(["TO", "DO|FIX", "ME|XX", "X:|HA", "CK"].joined(), as: Substring.self)
        let lines = file.lines.filter { line in marker.map { line.contains($0) } ?? true }
        #expect(lines == [])
    }

    // swift-format's own rule asks for less, and for `public` alone.
    @Test(arguments: sources) func `a package or public declaration outside an extension of members has a comment`(
        file: SourceFile
    ) {
        let declaration =
            /^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?:package|public)\s+(?:final\s+|static\s+|mutating\s+)*(?:func|struct|enum|actor|class|protocol)\s/
        let undocumented = file.declarations(matching: declaration).filter {
            $0.comment.isEmpty && !Self.isWitness($0.text)
        }
        #expect(undocumented.map(\.description) == [])
    }

    // What a user of the product reads in the documentation.
    @Test(arguments: sources) func `every public member has a comment`(file: SourceFile) {
        let declaration =
            /^\s*(?:@\w+(?:\([^)]*\))?\s+)*public\s+(?:[a-z]+(?:\(set\))?\s+)*(?:init|var|let|subscript|typealias)\b/
        #expect(file.declarations(matching: declaration).filter(\.comment.isEmpty).map(\.description) == [])
    }

    @Test(arguments: sources) func `a public function that throws says what and when`(file: SourceFile) {
        let declaration = /^\s*(?:@\w+(?:\([^)]*\))?\s+)*public\s+(?:[a-z]+\s+)*(?:func|init)\b/
        let silent = file.declarations(matching: declaration).filter {
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
        for file in sources {
            var isInProtocol = false
            for line in file.lines {
                if line.contains(#/^(?:package |public )?protocol /#) { isInProtocol = true }
                if line == "}" { isInProtocol = false }
                if isInProtocol, let name = line.firstMatch(of: #/^ {4}(?:mutating |static )?func ([A-Za-z]+)/#)?.1 {
                    names.insert(String(name))
                }
            }
        }
        return names
    }()

    // A promise to the compiler that it can't check needs its proof beside it.
    @Test(arguments: sources) func `an unchecked Sendable says why it holds`(file: SourceFile) {
        for (index, line) in file.lines.enumerated() where line.contains("@unchecked Sendable") {
            let near = file.lines[max(0, index - 6)...min(file.lines.count - 1, index + 6)]
            // A comment of documentation says what a type is for; the proof is for who reads the code.
            #expect(near.contains { $0.contains(/(?:^|\s)\/\/\s/) }, "\(file.path):\(index + 1)")
        }
    }
}
