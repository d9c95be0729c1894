import Testing

@testable import Races

@Suite(.timeLimit(.minutes(1))) struct SourceRootsTests {
    static let roots = SourceRoots(root: "/project", otherFolders: ["Sources/TrialRunner/"])

    private func isOurs(_ file: String?, in roots: SourceRoots = roots) -> Bool {
        roots.contains(StackFrame(function: "f", file: file))
    }

    @Test(arguments: [
        "/project/Sources/Caches/Table.swift", "/elsewhere/Sources/Mine/Cache.swift", "/project/./Sources/a.swift",
        "/project/Sources/TrialRunnerTwo/a.swift", "/project/Sources/x/../Caches/a.swift", "/project/checkouts/a.swift",
    ])
    func `code under test is recognised`(file: String) { #expect(isOurs(file)) }

    @Test(arguments: [
        nil, "crtstuff.c", "csu/../sysdeps/nptl/libc_start_call_main.h", "/home/build-user/swift/stdlib/a.swift",
        "/project/.build/checkouts/swift-nio/Sources/a.swift", "/project/.build/tsan/checkouts/swift-nio/a.swift",
        "/x/DerivedData/SourcePackages/checkouts/swift-nio/a.swift", "/project/Sources/TrialRunner/Main.swift",
        "/project/Sources/x/../TrialRunner/Main.swift", "/usr/include/c++/12/thread",
        "/toolchain/usr/lib/swift/linux/Swift.swiftmodule/x86_64.swiftinterface",
    ])
    func `other code is not`(file: String?) { #expect(!isOurs(file)) }

    @Test func `a project below a folder that looks like a dependency is ours`() {
        let roots = SourceRoots(root: "/x/.build/checkouts/project")
        #expect(isOurs("/x/.build/checkouts/project/Sources/a.swift", in: roots))
        #expect(!isOurs("/x/.build/checkouts/other/Sources/a.swift", in: roots))
        #expect(isOurs("/home/build-user/p/a.swift", in: SourceRoots(root: "/home/build-user/p/")))
    }

    @Test func `paths below the root are shown without it`() {
        #expect(Self.roots.displayPath(of: "/project/Sources/a.swift") == "Sources/a.swift")
        #expect(Self.roots.displayPath(of: "/projects/a.swift") == "/projects/a.swift")
        #expect(Self.roots.displayPath(of: "crtstuff.c") == "crtstuff.c")
        #expect(SourceRoots(root: "/").displayPath(of: "/a.swift") == "a.swift")
    }
}
