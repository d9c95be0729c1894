import Foundation
import NIOCore

/// What a server wants to know before it answers.
///
/// They come from the environment, which `ps` shows to no other user, and children inherit them. They stand in no result
/// and no message: printed, a value says only that there is one. Clients send them in plain text, for want of TLS.
package struct ServerCredentials: Sendable, CustomStringConvertible, CustomReflectable {
    let user: String?
    let password: String

    package init(user: String? = nil, password: String) {
        self.user = user
        self.password = password
    }

    package var description: String { "credentials" }
    package var customMirror: Mirror { Mirror(self, children: []) }

    /// A variable that is missing, or that can't be used.
    package struct Mistake: Error, Hashable, CustomStringConvertible {
        package let description: String
    }

    /// The variables in which a server's user and password are looked for: `CACHE_TRIALS_REDIS_USER` and so on.
    package static func variables(of server: String) -> (user: String, password: String) {
        let beginning = "CACHE_TRIALS_\(server.uppercased())"
        return ("\(beginning)_USER", "\(beginning)_PASSWORD")
    }

    /// Those of a kind of server; `nil` where nobody has set any.
    ///
    /// - Parameters:
    ///   - server: `redis` or `memcached`, which wants a user as well.
    ///   - environment: an empty variable counts as missing.
    /// - Throws: ``Mistake``, without any value in it.
    package static func inEnvironment(
        of server: String, _ environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(Mistake) -> ServerCredentials? {
        let names = variables(of: server)
        let user = environment[names.user].flatMap { $0.isEmpty ? nil : $0 }
        guard let password = environment[names.password], !password.isEmpty else {
            guard user == nil else { throw Mistake(description: "\(names.user) is set, and \(names.password) is not") }
            return nil
        }
        guard server != "memcached" || user != nil else {
            throw Mistake(description: "memcached wants a user with its password: set \(names.user) as well")
        }
        // memcached (1.6) takes what stands between the first two blanks for the password.
        guard server != "memcached" || ![user, password].contains(where: { $0?.contains(" ") == true }) else {
            throw Mistake(description: "\(names.user) and \(names.password) can't have blanks in them")
        }
        return ServerCredentials(user: user, password: password)
    }

    /// What a server says, without the password, whatever it repeats.
    func redacted(_ text: String) -> String { text.replacingOccurrences(of: password, with: "…") }

    /// How a connection to Redis begins: `AUTH`.
    var redisGreeting: Greeting<RESPValue> {
        let words = ["AUTH"] + [user, password].compactMap(\.self)
        return Greeting(bytes: RESPCommand(words.map { ByteBuffer(string: $0) }).bytes) { reply in
            if case .error(let text) = reply { redacted(text) } else { nil }
        }
    }

    /// How a connection to memcached begins, when that was started with `-Y`: a `set` of any key, with the user and the
    /// password as its value (`doc/protocol.txt`, "Authentication"). A server that wants none takes it for an entry that
    /// has expired, and keeps nothing.
    var memcachedGreeting: Greeting<MemcachedReply> {
        let value = "\(user ?? "") \(password)"
        let bytes = ByteBuffer(string: "set auth 0 -1 \(value.utf8.count)\r\n\(value)\r\n")
        return Greeting(bytes: bytes) { reply in
            switch reply {
            case .line("STORED"): nil
            case .error(let text), .line(let text): redacted(text)
            case .values, .statistics: "an answer to another request than the one with the password"
            }
        }
    }
}

/// The first request of every connection, before any other.
package struct Greeting<Reply: Sendable>: Sendable {
    let bytes: ByteBuffer
    /// Why the server wants no more of this connection, by its reply; `nil` when all is well.
    let refusal: @Sendable (Reply) -> String?
}
