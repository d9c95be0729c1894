import Foundation
import NIOCore

/// The user and the password for a server.
///
/// They come from the environment, which `ps` shows to no other user, and child processes inherit them. They appear in
/// no result and no message: a printed value says only that it exists. Clients send them in plain text, because they
/// don't support TLS.
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

    /// The environment variables with a server's user and password: `CACHE_TRIALS_REDIS_USER` and so on.
    package static func variables(of server: String) -> (user: String, password: String) {
        let beginning = "CACHE_TRIALS_\(server.uppercased())"
        return ("\(beginning)_USER", "\(beginning)_PASSWORD")
    }

    /// The credentials for a kind of server; `nil` where none are set.
    ///
    /// - Parameters:
    ///   - server: `redis` or `memcached`; memcached needs a user as well.
    ///   - environment: the environment; an empty variable counts as missing.
    /// - Throws: ``Mistake``, whose text holds no user and no password.
    package static func inEnvironment(
        of server: String, _ environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(Mistake) -> ServerCredentials? {
        let names = variables(of: server)
        let user = environment[names.user].flatMap { $0.isEmpty ? nil : $0 }
        guard let password = environment[names.password], !password.isEmpty else {
            guard user == nil else { throw Mistake(description: "\(names.user) is set, but \(names.password) is not") }
            return nil
        }
        guard server != "memcached" || user != nil else {
            throw Mistake(description: "memcached needs a user with its password: set \(names.user) as well")
        }
        // memcached (1.6) takes the text between the first two blanks for the password.
        guard server != "memcached" || ![user, password].contains(where: { $0?.contains(" ") == true }) else {
            throw Mistake(description: "\(names.user) and \(names.password) can't contain blanks")
        }
        return ServerCredentials(user: user, password: password)
    }

    /// A server's text without the password, in case the server repeats it.
    func redacted(_ text: String) -> String { text.replacingOccurrences(of: password, with: "…") }

    /// The first command of a connection to Redis: `AUTH`.
    var redisGreeting: Greeting<RESPValue> {
        let words = ["AUTH"] + [user, password].compactMap(\.self)
        return Greeting(bytes: RESPCommand(words.map { ByteBuffer(string: $0) }).bytes) { reply in
            if case .error(let text) = reply { redacted(text) } else { nil }
        }
    }

    /// The first command of a connection to memcached, when that was started with `-Y`: a `set` of any key, with the
    /// user and the password as its value (`doc/protocol.txt`, "Authentication"). A server without authentication takes
    /// it for an entry that has expired, and stores nothing.
    var memcachedGreeting: Greeting<MemcachedReply> {
        let value = "\(user ?? "") \(password)"
        let bytes = ByteBuffer(string: "set auth 0 -1 \(value.utf8.count)\r\n\(value)\r\n")
        return Greeting(bytes: bytes) { reply in
            switch reply {
            case .line("STORED"): nil
            case .error(let text), .line(let text): redacted(text)
            case .values, .statistics: "an answer to a request other than the one with the password"
            }
        }
    }
}

/// The first request of every connection, before any other.
package struct Greeting<Reply: Sendable>: Sendable {
    let bytes: ByteBuffer
    /// Why the server refuses the connection, by its reply; `nil` when the reply accepts it.
    let refusal: @Sendable (Reply) -> String?
}
