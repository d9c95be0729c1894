/// A cache that gives memory back when the system asks for it.
///
/// ```swift
/// extension PictureCache: RespondsToMemoryPressure {
///     func respond(to pressure: MemoryPressure) { if pressure != .normal { pictures.removeAll() } }
/// }
/// ```
///
/// The harness finds the conformance by a cast when it opens a cache, so that others need nothing. On an app's platform a
/// dispatch source of memory pressure, or a notification of the system, makes the call; here a scenario does.
///
/// - Memory is given back by the time the call returns, not later.
/// - Loads in flight go on: their callers get their values, and later callers may still join them. What they insert
///   afterwards is new and may stay.
/// - What was given back no longer counts against the limits. It counts as evicted where a cache counts evictions.
/// - The call comes from any thread while others use the cache, also from the `deinit` of a value that the cache itself
///   has just let go. So no lock may be held while values are released; a cache that can't do otherwise is
///   ``ReleasesInsideLock``.
/// - ``CacheStrategy/statistics()`` of such a cache may be called while others use it.
public protocol RespondsToMemoryPressure: Sendable {
    /// Gives back what a level of pressure asks for.
    func respond(to pressure: MemoryPressure) async
}

/// How much the system wants its memory back.
public enum MemoryPressure: String, Sendable, Hashable, Codable, CaseIterable {
    /// There is memory again. Nothing is given back: a cache that empties itself here throws away what nobody needs.
    case normal
    /// Memory is short. A cache gives back at least half of what it holds, or all that it can make again without its origin.
    case warning
    /// Memory is so short that the process is about to be killed. A cache gives back all it can.
    case critical
    /// The app is no longer visible. A cache keeps what the user sees first on return: a quarter of what it holds, at most.
    case background

    /// One part in how many a cache keeps that can choose; 0 for nothing, `nil` for all.
    package var divisor: Int? {
        switch self {
        case .normal: nil
        case .warning: 2
        case .background: 4
        case .critical: 0
        }
    }
}

/// A cache that lets go of values inside a lock, so that their `deinit` must not use it.
public protocol ReleasesInsideLock: Sendable {}
