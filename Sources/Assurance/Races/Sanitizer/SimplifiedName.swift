/// Shortens the demangled name of a Swift function to what a reader needs to find it.
///
/// `static racy.Cache.insert(B, A) -> ()` becomes `Cache.insert(B, A)`. Arguments stay as written, but without their
/// modules; labels aren't part of every mangled name.
enum SimplifiedName {
    /// A longer name is cut, because it is shown in a line of a table.
    static let characterCountMax = 120

    /// Prefixes of generated code, before the name of the function that it belongs to.
    private static let prefixes = [
        "partial apply forwarder for ", "merged ", "dispatch thunk of ", "protocol witness for ", "@objc ",
        "implicit closure ", "static ",
    ]

    /// The short form; other names, such as those of C, are returned unchanged. O(length).
    static func of(_ name: String) -> String {
        var rest = name[...]
        if let specialized = cutSpecialization(rest) { rest = specialized }
        while let prefix = prefixes.first(where: { rest.hasPrefix($0) && $0 != "implicit closure " }) {
            rest = rest.dropFirst(prefix.count)
        }
        if let part = cutSuspension(rest) { rest = part }
        let short = closure(rest) ?? function(rest)
        return short.count <= characterCountMax ? short : short.prefix(characterCountMax) + "…"
    }

    /// `generic specialization <Swift.Int> of f` and similar forms name `f` after the angle brackets.
    private static func cutSpecialization(_ name: Substring) -> Substring? {
        let words = ["generic specialization <", "function signature specialization <", "generic not re-abstracted "]
        guard words.contains(where: name.hasPrefix), let end = outside(name, find: " of ") else { return nil }
        return name[end.upperBound...]
    }

    /// `(1) suspend resume partial function for f` is a piece of the asynchronous `f`.
    private static func cutSuspension(_ name: Substring) -> Substring? {
        guard name.hasPrefix("("), let end = outside(name, find: " partial function for ") else { return nil }
        let rest = name[end.upperBound...]
        return rest.hasPrefix("static ") ? rest.dropFirst(7) : rest
    }

    /// `closure #1 @Sendable () -> () in f() -> ()` becomes `closure #1 in f()`.
    private static func closure(_ name: Substring) -> String? {
        guard name.hasPrefix("closure #") || name.hasPrefix("implicit closure #"),
            let place = outside(name, find: " in ")
        else { return nil }
        let isImplicit = name.hasPrefix("implicit ")
        let number = name.dropFirst(isImplicit ? 18 : 9).prefix { $0.isNumber }
        // Nested closures name each level; a loop avoids unbounded recursion.
        var outer = name[place.upperBound...]
        while outer.hasPrefix("closure #") || outer.hasPrefix("implicit closure #"),
            let next = outside(outer, find: " in ")
        { outer = outer[next.upperBound...] }
        if outer.hasPrefix("static ") { outer = outer.dropFirst(7) }
        return "closure #\(number) in \(function(outer))"
    }

    private static func function(_ name: Substring) -> String {
        var rest = name
        if rest.hasPrefix("(extension in "), let end = rest.firstIndex(of: ":") {
            rest = rest[rest.index(after: end)...]
        }
        for end in [" -> ", " : "] {
            if let found = outside(rest, find: end) { rest = rest[..<found.lowerBound] }
        }
        for effect in [" throws", " async"] where rest.hasSuffix(effect) { rest = rest.dropLast(effect.count) }
        // The first part of a Swift name is its module; names of C++ have colons there, and names of C have no dots.
        let head = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
        guard !head.isEmpty, rest[head.endIndex...].hasPrefix(".") else { return String(rest) }
        // A private name contains the hash of its file: `(evict in _643E)`.
        let bare = rest[rest.index(after: head.endIndex)...].replacing(#/\(([^() ]+) in _[0-9A-F]+\)/#) { $0.1 }
        return withoutModules(bare[...])
    }

    /// The name without `Swift.` before the types of its arguments.
    private static func withoutModules(_ name: Substring) -> String {
        var result = ""
        var word = ""
        for character in name {
            if character == ".", word == "Swift" || word == "Foundation" {
                word = ""
            } else if character.isLetter || character.isNumber || character == "_" {
                word.append(character)
            } else {
                result += word
                result.append(character)
                word = ""
            }
        }
        return result + word
    }

    /// The first place of a text outside of all brackets. O(n).
    private static func outside(_ name: Substring, find text: String) -> Range<Substring.Index>? {
        let bytes = name.utf8
        var depth = 0
        var previous: UInt8 = 0
        var index = bytes.startIndex
        while index < bytes.endIndex {
            let byte = bytes[index]
            if depth == 0, byte == text.utf8.first, bytes[index...].starts(with: text.utf8) {
                return index..<bytes.index(index, offsetBy: text.utf8.count)
            }
            switch byte {
            case UInt8(ascii: "("), UInt8(ascii: "<"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: ")"), UInt8(ascii: "]"): depth -= 1
            // The `>` of an arrow is not a closing bracket.
            case UInt8(ascii: ">") where previous != UInt8(ascii: "-"): depth -= 1
            default: break
            }
            previous = byte
            index = bytes.index(after: index)
        }
        return nil
    }
}
