import ArgumentParser
import Foundation
import TrialLoop
import TrialModel

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The child's side of the conversation with the process that started it.
///
/// The first line of standard input is the request. Standard input stays open as long as the parent lives: when it
/// closes, the child ends. Messages go to the original standard output; what a strategy prints there goes to standard
/// error instead.
enum ChildRole {
    /// The channel for messages. Called once, before anything else prints.
    static func channel<Message>(of type: Message.Type) -> MessageChannel<Message> {
        let descriptor = dup(STDOUT_FILENO)
        dup2(STDERR_FILENO, STDOUT_FILENO)
        let output = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        return MessageChannel { line in try? output.write(contentsOf: line) }
    }

    /// Reads the request.
    ///
    /// - Throws: `ValidationError` when the verb was started by hand.
    static func request<Request: Decodable>(_ type: Request.Type, verb: String, starter: String) throws -> Request {
        guard let line = readLine(strippingNewline: true),
            let request = try? JSONDecoder().decode(Request.self, from: Data(line.utf8))
        else {
            throw ValidationError(
                "'\(verb)' is started by '\(starter)', which tells it what to do; use '\(ThisProgram.name) \(starter)'."
            )
        }
        return request
    }

    /// Starts a thread that ends the process when standard input closes.
    ///
    /// - Parameter onByte: called on that thread for each byte that arrives before the end.
    static func exitWhenInputCloses(_ onByte: @escaping @Sendable () -> Void = {}) {
        let thread = Thread {
            var byte: UInt8 = 0
            while true {
                let count = read(STDIN_FILENO, &byte, 1)
                if count == 0 || (count < 0 && errno != EINTR) { _exit(TrialExitCode.terminated.rawValue) }
                if count == 1 { onByte() }
            }
        }
        thread.name = "parent watch"
        thread.start()
    }
}
