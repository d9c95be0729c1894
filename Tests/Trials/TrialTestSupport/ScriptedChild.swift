import Foundation
package import TrialSessions

/// The child's side of a conversation, for tests that script it.
extension ChildCall {
    /// The request, when it is of this kind.
    package func request<Request: ChildRequest>(_ type: Request.Type) -> Request? {
        guard verb == Request.verb else { return nil }
        return try? JSONDecoder().decode(type, from: Data(request))
    }

    /// Sends a message, as the child would.
    package func answer(_ message: some Encodable) throws {
        onLine(String(decoding: try JSONEncoder().encode(message), as: UTF8.self))
    }

    /// Waits until the child may take its next turn.
    package func awaitTurn() async {
        guard let later else { return }
        for await _ in later { return }
    }

    /// Leaves a report of the sanitizer where the child's process would.
    package func leaveReport(_ text: String) throws {
        let options = settings.environment["TSAN_OPTIONS"] ?? ""
        guard let path = options.firstMatch(of: /log_path='([^']+)'/)?.1 else { return }
        try Data(text.utf8).write(to: URL(fileURLWithPath: "\(path).1"))
    }
}

extension SanitizerSettings {
    /// Settings for runs that are scripted.
    package static func scripted() throws -> SanitizerSettings {
        try SanitizerSettings(userOptions: "", symbolizer: "/usr/bin/true")
    }
}
