/// A structure of a cache contradicts itself; the text names the values.
package struct InvariantViolation: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
