/// An error of the harness or its environment; the message says what to do next.
package struct HarnessError: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
