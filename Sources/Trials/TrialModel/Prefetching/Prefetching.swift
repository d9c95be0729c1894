/// What the clients of a phase prefetch: with each `prefetch` a client announces keys that it will look up next.
package struct Prefetching: HasDefaults, Codable, Hashable, Sendable {
    /// How many keys one `prefetch` names.
    package var ahead = 8
    /// The share of these keys that the client really looks up next; the others are arbitrary keys.
    package var accuracy = 1.0
    /// How many distinct keys, the last ones looked up, are on the screen.
    package var visible = 12

    package static var defaults: Self { Self() }
}
