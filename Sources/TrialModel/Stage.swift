/// A stage of a load's time.
package enum Stage: String, Codable, Hashable, Sendable, CaseIterable, CellValue {
    /// From the call until the fetch begins: the lookup, and any waiting before the fetch.
    case beforeFetch = "before_fetch"
    /// From the beginning of the fetch to its end.
    case fetch
    /// Decoding the fetched bytes.
    case decode
    /// The rest: the time between fetch and decoding, and from decoding until the call returns.
    case afterDecode = "after_decode"
    /// The whole time of a load that joined another load.
    case wait
    /// The whole time of a load whose fetch the harness did not observe.
    case unknown
}
