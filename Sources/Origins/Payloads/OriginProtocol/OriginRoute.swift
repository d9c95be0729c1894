/// The requests that the fixture server understands; the client writes them and the server reads them.
package enum OriginRoute: Hashable, Sendable {
    /// `/`: a help page.
    case help
    /// `/trials/<id>`: `PUT` registers, `DELETE` frees.
    case trial(String)
    /// `/trials/<id>/values/<key>?phase=<n>`: a payload.
    case value(trial: String, key: UInt64, phase: UInt16)
    /// `/trials/<id>/values/<key>/priority`: `PUT` gives the waiting requests for a key a user's priority.
    case priority(trial: String, key: UInt64)
    /// `/trials/<id>/log?phase=<n>`: the counts of a phase or of all.
    case log(trial: String, phase: UInt16?)
    /// `/trials/<id>/log/entries?phase=<n>`: every request of a phase or of all.
    case entries(trial: String, phase: UInt16?)

    /// Why a path is not a route, in one line for the sender.
    package struct Mistake: Error, Hashable, Sendable {
        /// Whether the path is well-formed but unknown: 404 and not 400.
        package var isUnknown: Bool
        package var text: String
    }

    /// Reads a path and its query.
    package init(path: String, query: String?) throws(Mistake) {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        if parts.allSatisfy(\.isEmpty) {
            self = .help
            return
        }
        guard parts.first == "trials", let id = parts.dropFirst().first else {
            throw Mistake(isUnknown: true, text: "unknown path; GET / lists the paths")
        }
        guard Self.isTrialName(id) else {
            throw Mistake(isUnknown: false, text: "a trial's id is 1 to 200 letters, digits, '.', '_' or '-'")
        }
        let phase = try Self.phase(in: query)
        let rest = parts.dropFirst(2)
        switch (rest.first, rest.count) {
        case (nil, _): self = .trial(String(id))
        case ("log", 1): self = .log(trial: String(id), phase: phase)
        case ("log", 2) where rest.last == "entries": self = .entries(trial: String(id), phase: phase)
        case ("values", 2): self = .value(trial: String(id), key: try Self.key(rest.last), phase: phase ?? 0)
        case ("values", 3) where rest.last == "priority":
            self = .priority(trial: String(id), key: try Self.key(rest.dropFirst().first))
        default: throw Mistake(isUnknown: true, text: "unknown path; GET / lists the paths")
        }
    }

    /// The path with its query, as ``init(path:query:)`` reads it.
    package var path: String {
        switch self {
        case .help: "/"
        case .trial(let id): "/trials/\(id)"
        case .value(let id, let key, let phase): "/trials/\(id)/values/\(key)?phase=\(phase)"
        case .priority(let id, let key): "/trials/\(id)/values/\(key)/priority"
        case .log(let id, let phase): "/trials/\(id)/log\(Self.query(phase))"
        case .entries(let id, let phase): "/trials/\(id)/log/entries\(Self.query(phase))"
        }
    }

    /// Whether a text can be a trial's id: it needs no escaping in a path.
    package static func isTrialName(_ id: some StringProtocol) -> Bool {
        (1...200).contains(id.utf8.count)
            && id.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }

    private static func key(_ text: Substring?) throws(Mistake) -> UInt64 {
        guard let key = number(text ?? "") else {
            throw Mistake(isUnknown: false, text: "a key is a whole number from 0 to \(UInt64.max)")
        }
        return key
    }

    private static func query(_ phase: UInt16?) -> String { phase.map { "?phase=\($0)" } ?? "" }

    private static func phase(in query: String?) throws(Mistake) -> UInt16? {
        guard let query, !query.isEmpty else { return nil }
        guard query.hasPrefix("phase="), let number = number(query.dropFirst("phase=".count)),
            let phase = UInt16(exactly: number)
        else { throw Mistake(isUnknown: false, text: "the query is phase=<whole number from 0 to \(UInt16.max)>") }
        return phase
    }

    /// Digits only; `UInt64.init` would accept a sign as well.
    private static func number(_ text: some StringProtocol) -> UInt64? {
        text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? UInt64(text) : nil
    }
}
