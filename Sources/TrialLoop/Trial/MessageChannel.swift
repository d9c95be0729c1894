package import Foundation

/// Where a child process sends its messages, a line of JSON each.
package struct MessageChannel<Message: Encodable & Sendable>: Sendable {
    private let send: @Sendable (Data) -> Void

    /// - Parameter send: takes one line, its line break included.
    package init(send: @escaping @Sendable (Data) -> Void) {
        self.send = send
    }

    /// Sends a message at once, so that a crash right after it loses nothing.
    package func send(_ message: Message) {
        // A message holds strings and finite numbers only, so that encoding can't fail.
        guard var line = try? JSONEncoder().encode(message) else { return }
        line.append(UInt8(ascii: "\n"))
        send(line)
    }
}

/// What a trial says.
package typealias TrialChannel = MessageChannel<TrialMessage>
