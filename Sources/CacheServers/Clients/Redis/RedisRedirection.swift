/// What a cluster's node says about a key that another node has.
package enum RedisRedirection: Hashable, Sendable {
    /// The slot belongs to another node from now on.
    case moved(slot: Int, ServerAddress)
    /// This one request is for another node; the slot is on its way there.
    case ask(ServerAddress)
    /// Some of it is here and some there; ask again.
    case tryAgain

    /// Reads the text of an error; `nil` when it is no redirection.
    ///
    /// - Parameter origin: who said it; it stands for itself when it leaves the host out.
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
