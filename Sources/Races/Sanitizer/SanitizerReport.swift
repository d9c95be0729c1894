/// One finding of Thread Sanitizer.
package struct SanitizerReport: Sendable, Hashable {
    /// What was found, in the runtime's words, such as "data race" or "thread leak".
    package let kind: String
    /// The process that reported it, by the report's own words.
    package let processIdentifier: Int
    /// The accesses that collided: first the one that was noticed, then the previous one.
    ///
    /// Findings that are no races have none.
    package let accesses: [MemoryAccess]
    /// The whole report, demangled, without the lines of `=` around it.
    package let text: String
    /// Whether the report ends as the runtime ends one; false where the process died while it wrote.
    package let isComplete: Bool

    package init(
        kind: String, processIdentifier: Int, accesses: [MemoryAccess], text: String, isComplete: Bool = true
    ) {
        self.kind = kind
        self.processIdentifier = processIdentifier
        self.accesses = accesses
        self.text = text
        self.isComplete = isComplete
    }

    /// Whether the report is about memory that several accesses fought over.
    ///
    /// That includes "heap-use-after-free": the runtime has that name for an access that races with the `free` of its
    /// memory. It keeps no order for freed memory, so a use that comes after the `free` in good order, even of the same
    /// thread, has that name too. It is a fault as grave, and must not pass for a clean run, so it counts;
    /// the threads of the two accesses say which it was.
    /// Leaks of threads, misused mutexes, lock orders and signal handlers are no races.
    package var isRace: Bool {
        kind.hasPrefix("data race") || kind.hasPrefix("race on ") || kind.hasSuffix(" race")
            || kind.hasPrefix("heap-use-after-free")
    }

    /// Where the finding is, for one line: the first frame in our code, of the first access if it has one.
    ///
    /// A frame with a line number goes before one without: generic code that was inlined may have a file only. Where
    /// no frame is in our code, the first frame with a file stands in, and else the innermost function. O(frames).
    package func location(in roots: SourceRoots) -> SourceLocation {
        let stacks = accesses.map(\.frames)
        let ours = stacks.filter { roots.innermost(of: $0) != nil }
        let stack = ours.first { roots.innermost(of: $0)?.line != nil } ?? ours.first
        return SourceLocation(of: stack ?? stacks.flatMap { $0 }, in: roots)
    }
}
