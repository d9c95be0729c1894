import Foundation

/// Whether a leak may be that of Foundation's `NSCache`: on Linux, one that is dropped with entries in it keeps them.
enum NSCacheControl {
    private final class Value {}

    private struct Reference {
        weak var value: Value?
    }

    /// A sentence for the message of a leak where an `NSCache` leaks in this process as well; empty where it does not.
    static var note: String {
        let values = droppedValues(8)
        let kept = values.count { $0.value != nil }
        guard kept > 0 else { return "" }
        return
            "; Foundation's NSCache keeps \(kept) of \(values.count) values here when it is dropped with them in it: a "
            + "cache over one must empty it before that"
    }

    private static func droppedValues(_ count: Int) -> [Reference] {
        let cache = NSCache<NSNumber, Value>()
        return (0..<count).map { number in
            let value = Value()
            cache.setObject(value, forKey: number as NSNumber)
            return Reference(value: value)
        }
    }
}
