/// The loads whose fetch the current task or thread runs, from the innermost one outwards. A caller inside a fetch that
/// joined one of them would wait for itself.
///
/// The tasks that a fetch starts belong to it, whether or not it waits for them.
final class LoadLineage: Sendable {
    @TaskLocal static var current: LoadLineage?

    /// The register of the load. It holds no values.
    private let loads: any AnyObject & Sendable
    /// The number of the load's ticket.
    private let number: UInt64
    private let outer: LoadLineage?

    /// A load that the current task or thread is about to fetch for.
    init(_ number: UInt64, of loads: any AnyObject & Sendable) {
        self.loads = loads
        self.number = number
        outer = Self.current
    }

    /// Whether the current task or thread is part of the fetch of a load.
    static func holds(_ number: UInt64, of loads: any AnyObject & Sendable) -> Bool {
        var lineage = current
        while let load = lineage {
            if load.number == number, load.loads === loads { return true }
            lineage = load.outer
        }
        return false
    }
}

/// A fetch has loaded the key that it fetches for, directly or through the fetch of another key. It would have waited for
/// itself.
public struct SelfLoadError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The key.
    public let key: String

    /// What happened, and how to fix it.
    public var description: String {
        "the fetch for key \(key) loads the same key, and would wait for itself; fetch it from the origin"
    }
}
