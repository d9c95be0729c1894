import Foundation

/// Demangles Swift names with the function that the Swift runtime exports.
///
/// If the process has no such function (a program without the shared runtime), names stay mangled.
package struct Demangler {
    /// A longer name stays mangled: the runtime's demangler recurses, and a forged name can overflow its stack.
    static let nameByteCountMax = 2_000

    private typealias Function =
        @convention(c) @Sendable (
            UnsafePointer<CChar>?, Int, UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<Int>?, UInt32
        ) -> UnsafeMutablePointer<CChar>?

    private static let function: Function? = dlsym(dlopen(nil, RTLD_NOW), "swift_demangle").map {
        unsafeBitCast($0, to: Function.self)
    }

    /// Demangled names by mangled name: the same few names appear in a log again and again.
    private var known: [String: String] = [:]

    package init() {}

    /// The readable form of a name; the name itself if it isn't mangled. O(length), once for each name.
    package mutating func name(_ mangled: String) -> String {
        let bare = mangled.hasPrefix("_$") ? mangled.dropFirst() : mangled[...]
        guard bare.hasPrefix("$s") || bare.hasPrefix("$S") || bare.hasPrefix("$e") else { return mangled }
        if let name = known[mangled] { return name }
        let name = Self.demangled(mangled) ?? mangled
        known[mangled] = name
        return name
    }

    /// A line with each mangled name in it replaced. O(length).
    mutating func line(_ bytes: Bytes) -> String {
        var result: [UInt8] = []
        var rest = bytes
        while let dollar = rest.first("$")?.lowerBound {
            let isUnderlined = dollar > rest.startIndex && rest[dollar - 1] == UInt8(ascii: "_")
            let start = isUnderlined ? dollar - 1 : dollar
            let end = rest[dollar...].firstIndex { !Self.isPartOfName($0) } ?? rest.endIndex
            result.append(contentsOf: rest[..<start])
            let isWithinName = start > rest.startIndex && Self.isPartOfName(rest[start - 1])
            let word = rest[start..<end]
            if isWithinName { result.append(contentsOf: word) } else { result.append(contentsOf: name(word.text).utf8) }
            rest = rest[end...]
        }
        guard !result.isEmpty else { return rest.text }
        result.append(contentsOf: rest)
        return result[...].text
    }

    private static func isPartOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"):
            true
        default: byte >= 0x80
        }
    }

    private static func demangled(_ name: String) -> String? {
        guard let function, name.utf8.count <= nameByteCountMax, !name.utf8.contains(0) else { return nil }
        return name.withCString { pointer in
            guard let text = function(pointer, strlen(pointer), nil, nil, 0) else { return nil }
            defer { free(text) }
            return String(cString: text)
        }
    }
}
