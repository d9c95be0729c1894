package import Foundation

/// A key as a strategy sees it, made from the key's number.
package protocol TrialKey: Hashable, Sendable {
    /// The key with a number; different numbers give different keys.
    init(trialKeyNumber number: Int)
}

extension Int: TrialKey {
    package init(trialKeyNumber number: Int) { self = number }
}

extension String: TrialKey {
    /// Longer than the 15 bytes that a string holds without a heap object, as most real keys are.
    package init(trialKeyNumber number: Int) { self = "article/2024/number-\(number)" }
}

extension URL: TrialKey {
    /// A URL of the usual shape; its host is reserved for examples and never asked.
    package init(trialKeyNumber number: Int) {
        var components = URLComponents()
        components.scheme = "https"
        components.host = "images.example.com"
        components.path = "/photos/\(number).png"
        // A scheme, a host and an absolute path always make a URL; the file URL is there for the type checker.
        self = components.url ?? URL(fileURLWithPath: components.path)
    }
}
