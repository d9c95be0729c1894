/// Trouble of the harness or its surroundings, in a sentence that says what to do next.
package struct HarnessError: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
