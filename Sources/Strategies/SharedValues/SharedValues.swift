// What strategies and trials both speak of. Their modules export it: no import names this one.

/// The tier in which a cache found a value.
public enum HitTier: String, Sendable, Hashable, Codable, CaseIterable {
    /// In memory, in a cache that also has a disk.
    case memory
    /// In a file.
    case disk
    /// Decoded, in a cache that also holds encoded values.
    case decoded
    /// Encoded, in memory; it was decoded for the caller.
    case encoded
    /// On a server.
    case server
}

/// How urgently the system needs memory.
public enum MemoryPressure: String, Sendable, Hashable, Codable, CaseIterable {
    /// Memory is available again. Nothing is released: a cache that empties itself here drops entries without need.
    case normal
    /// Memory is short. A cache releases at least half of its entries, or all that it can restore without its origin.
    case warning
    /// Memory is so short that the process is about to be killed. A cache releases all it can.
    case critical
    /// The app is no longer visible. A cache keeps what the user sees first on return: at most a quarter of its
    /// entries.
    case background

    /// A cache that can choose keeps one part in this number; 0 for nothing, `nil` for everything.
    package var divisor: Int? {
        switch self {
        case .normal: nil
        case .warning: 2
        case .background: 4
        case .critical: 0
        }
    }
}
