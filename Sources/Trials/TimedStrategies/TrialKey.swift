package import Foundation

/// A key as a strategy sees it, made from the key's number.
package protocol TrialKey: Hashable, Sendable {
    /// Creates the key with a number; different numbers give different keys.
    init(trialKeyNumber number: Int)
}

extension Int: TrialKey {
    package init(trialKeyNumber number: Int) { self = number }
}

extension String: TrialKey {
    /// The string is longer than the 15 bytes that need no heap object, like most real keys.
    package init(trialKeyNumber number: Int) { self = "article/2024/number-\(number)" }
}

extension URL: TrialKey {
    /// A URL of the usual form; its host is reserved for examples and is never contacted.
    package init(trialKeyNumber number: Int) {
        var components = URLComponents()
        components.scheme = "https"
        components.host = "images.example.com"
        components.path = "/photos/\(number).png"
        // A scheme, a host and an absolute path always make a URL; the file URL is there for the type checker.
        self = components.url ?? URL(fileURLWithPath: components.path)
    }
}
