/// A part of the time that a load takes.
package enum Stage: String, Codable, Hashable, Sendable, CaseIterable, CellValue {
    /// From the call until the fetch begins: the look-up, and whatever the caller waits for before.
    case beforeFetch = "before_fetch"
    /// From the beginning of the fetch to its end.
    case fetch
    /// Decoding what was fetched.
    case decode
    /// The rest: between fetch and decoding, and from there until the call returns.
    case afterDecode = "after_decode"
    /// All of a load that joined another one.
    case wait
    /// All of a load whose fetch the harness did not see.
    case unknown
}
