/// The programs that strategies start when they are not given the address of a server.
package enum ServerPrograms {
    /// The program of a strategy; `nil` where it needs none.
    package static func program(of strategy: String) -> LocalServer.Program? {
        switch strategy {
        case "redis": .redis
        case "memcached": .memcached(mebibytes: 1, itemByteCountMax: 1 << 19)
        default: nil
        }
    }

    /// Why a strategy can't run without the address of a server; `nil` when it can.
    package static func absence(of strategy: String) -> String? {
        program(of: strategy).flatMap { LocalServer.absence(of: $0) }
    }
}
