package import Foundation

/// Where a trial's process sends its messages.
package struct TrialChannel: Sendable {
    private let send: @Sendable (Data) -> Void

    /// - Parameter send: takes one line, its line break included.
    package init(send: @escaping @Sendable (Data) -> Void) {
        self.send = send
    }

    /// Sends a message at once, so that a crash right after it loses nothing.
    package func send(_ message: TrialMessage) {
        // A message holds strings and finite numbers only, so that encoding can't fail.
        guard var line = try? JSONEncoder().encode(message) else { return }
        line.append(UInt8(ascii: "\n"))
        send(line)
    }
}
