public import SharedValues

/// A cache that releases memory when the system asks for it.
///
/// ```swift
/// extension PictureCache: RespondsToMemoryPressure {
///     func respond(to pressure: MemoryPressure) { if pressure != .normal { pictures.removeAll() } }
/// }
/// ```
///
/// The harness finds the conformance by a cast when it opens a cache, so that other caches need nothing. On an app's
/// platform, a dispatch source of memory pressure or a notification of the system makes the call; here a scenario does.
///
/// - Memory is released by the time the call returns, not later.
/// - Loads in flight continue: their callers get their values, and later callers may still join them. What they insert
///   afterwards is new and may stay.
/// - Released entries no longer count towards the limits. They count as evicted if a cache counts evictions.
/// - The call comes from any thread while others use the cache, also from the `deinit` of a value that the cache itself
///   has just released. So no lock may be held while values are released; a cache that can't avoid that conforms to
///   ``ReleasesInsideLock``.
/// - ``CacheStrategy/statistics()`` of such a cache may be called while others use it.
public protocol RespondsToMemoryPressure: Sendable {
    /// Releases as much as a level of pressure requires.
    func respond(to pressure: MemoryPressure) async
}

/// A cache that releases values inside a lock, so that their `deinit` must not use it.
public protocol ReleasesInsideLock: Sendable {}
