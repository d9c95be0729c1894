/// A cluster node's answer about a key that another node has.
package enum RedisRedirection: Hashable, Sendable {
    /// The slot belongs to another node from now on.
    case moved(slot: Int, ServerAddress)
    /// Only this request is for another node; the slot is moving there.
    case ask(ServerAddress)
    /// Some keys of the slot are here and some there; ask again.
    case tryAgain

    /// Parses the text of an error; `nil` when it is not a redirection.
    ///
    /// - Parameter origin: the answering server, used where the text leaves the host out.
    package init?(_ error: String, from origin: ServerAddress) {
        let words = error.split(separator: " ", omittingEmptySubsequences: false)
        if words.first == "TRYAGAIN" {
            self = .tryAgain
            return
        }
        guard words.count == 3, let slot = Int(words[1]), (0..<RedisSlot.count).contains(slot),
            let colon = words[2].lastIndex(of: ":"),
            let port = ServerAddress.port(words[2][words[2].index(after: colon)...])
        else { return nil }
        let host = words[2][..<colon]
        let address = ServerAddress(host: host.isEmpty ? origin.host : String(host), port: port)
        switch words[0] {
        case "MOVED": self = .moved(slot: slot, address)
        case "ASK": self = .ask(address)
        default: return nil
        }
    }
}
