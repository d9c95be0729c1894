import Platform

extension Promises {
    /// How strictly an `NSCache` keeps its limits: inside every insert on Linux, at some later time on Darwin.
    static var limitOfNSCache: Limit { isDarwin ? .soft : .hard }
}
