/// A data structure of a cache contradicts itself; the description has the values.
package struct InvariantViolation: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
