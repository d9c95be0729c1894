/// One finding of Thread Sanitizer.
package struct SanitizerReport: Sendable, Hashable {
    /// What was found, in the runtime's words, such as "data race" or "thread leak".
    package let kind: String
    /// The process that reported it, according to the report.
    package let processIdentifier: Int
    /// The accesses that collided: first the one that was detected, then the previous one.
    ///
    /// Findings that are not races have none.
    package let accesses: [MemoryAccess]
    /// The whole report, demangled, without the lines of `=` around it.
    package let text: String
    /// Whether the report has the runtime's closing line; false if the process died while writing it.
    package var isComplete = true

    /// Whether the report is about conflicting accesses to memory.
    ///
    /// That includes "heap-use-after-free", the runtime's name for an access that races with the `free` of its memory.
    /// The runtime keeps no order for freed memory, so a use that is ordered after the `free`, even on the same thread,
    /// has that name too. It is as grave a fault and must not pass for a clean run, so it counts; the threads of the
    /// two accesses tell which case it is. Leaks of threads, misused mutexes, lock orders and signal handlers are not
    /// races.
    package var isRace: Bool {
        kind.hasPrefix("data race") || kind.hasPrefix("race on ") || kind.hasSuffix(" race")
            || kind.hasPrefix("heap-use-after-free")
    }

    /// The place of the finding in one line: the first frame in our code, from the first access if it has one.
    ///
    /// A frame with a line number is preferred to one without: inlined generic code may only have a file. If no frame
    /// is in our code, the first frame with a file is used, and otherwise the innermost function. O(frames).
    package func location(in roots: SourceRoots) -> SourceLocation {
        let stacks = accesses.map(\.frames)
        let ours = stacks.filter { roots.innermost(of: $0) != nil }
        let stack = ours.first { roots.innermost(of: $0)?.line != nil } ?? ours.first
        return SourceLocation(of: stack ?? stacks.flatMap { $0 }, in: roots)
    }
}
