package import Foundation

/// The channel on which a child process sends its messages, each a line of JSON.
package struct MessageChannel<Message: Encodable & Sendable>: Sendable {
    private let send: @Sendable (Data) -> Void

    /// - Parameter send: takes one line, including its line break.
    package init(send: @escaping @Sendable (Data) -> Void) {
        self.send = send
    }

    /// Sends a message at once, so that a crash right after it loses nothing.
    package func send(_ message: Message) {
        // A message holds only strings and finite numbers, so encoding can't fail.
        guard var line = try? JSONEncoder().encode(message) else { return }
        line.append(UInt8(ascii: "\n"))
        send(line)
    }
}

/// The channel of a trial's messages.
package typealias TrialChannel = MessageChannel<TrialMessage>
