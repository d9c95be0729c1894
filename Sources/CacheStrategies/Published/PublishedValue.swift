/// A value as the object that a published cache puts into its `NSCache`.
@usableFromInline
final class PublishedValue<Value: Sendable>: Sendable {
    @usableFromInline
    let value: Value

    @inlinable
    init(_ value: Value) {
        self.value = value
    }
}
