extension StackFrame {
    /// Reads `    #2 function file:line:column (module+0x1f) (BuildId: 0a)`, the runtime's format of a frame.
    ///
    /// File and line may be missing, and `<null>` means an unknown file or function. O(length of the line).
    init?(line bytes: Bytes, demangler: inout Demangler) {
        guard bytes.begins(with: "    #") else { return nil }
        var rest = bytes.dropFirst(5)
        let digits = rest.prefix { (0x30...0x39).contains($0) }
        guard Int(digits.text) != nil else { return nil }
        rest = rest.dropFirst(digits.count)
        guard rest.first == UInt8(ascii: " ") else { return nil }
        rest = rest.dropFirst()

        Self.cutModule(from: &rest)
        let (function, place) = Self.split(rest)
        let (file, line) = Self.place(place)
        self.init(
            function: function.flatMap { $0.elementsEqual("<null>".utf8) ? nil : demangler.name($0.text) },
            file: file, line: line)
    }

    /// Removes `(module+0x1f) (BuildId: 0a)` from the end.
    private static func cutModule(from rest: inout Bytes) {
        guard rest.last == UInt8(ascii: ")"), var open = rest.last("(") else { return }
        if rest[open...].begins(with: "(BuildId: ") {
            rest = trimmed(rest[..<open])
            guard rest.last == UInt8(ascii: ")"), let module = rest.last("(") else { return }
            open = module
        }
        let inside = rest[(open + 1)...].dropLast()
        guard let plus = inside.last("+"), inside[(plus + 1)...].begins(with: "0x") else { return }
        rest = trimmed(rest[..<open])
    }

    /// Separates the function's name from the place.
    ///
    /// A mangled name has no blanks, while a C++ name and a path may have some: `f(int, char*) /My Files/a.swift:3`.
    private static func split(_ rest: Bytes) -> (function: Bytes?, place: Bytes) {
        let separator: Int?
        if rest.begins(with: "$") || rest.begins(with: "_$") || rest.begins(with: "<null> ") {
            separator = rest.firstIndex(of: UInt8(ascii: " "))
        } else {
            separator = rest.first(" /")?.lowerBound ?? rest.last(" ")
        }
        guard let separator else { return (rest.isEmpty ? nil : rest, []) }
        return (rest[..<separator], rest[(separator + 1)...])
    }

    /// Reads `file`, `file:line` or `file:line:column`.
    private static func place(_ bytes: Bytes) -> (file: String?, line: Int?) {
        var file = bytes
        var numbers: [Int] = []
        while numbers.count < 2, let colon = file.last(":") {
            let digits = file[(colon + 1)...]
            guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { break }
            // A number that does not fit into `Int` is not a line number.
            numbers.insert(Int(digits.text) ?? 0, at: 0)
            file = file[..<colon]
        }
        let isUnknown = file.isEmpty || file.elementsEqual("<null>".utf8)
        let isGenerated = file.first("<compiler-generated>")?.upperBound == file.endIndex
        guard !isUnknown, !isGenerated else { return (nil, nil) }
        // The compiler gives line 0 to code that it generated within a function.
        return (file.text, numbers.first.flatMap { $0 > 0 ? $0 : nil })
    }

    private static func trimmed(_ bytes: Bytes) -> Bytes {
        var bytes = bytes
        while bytes.last == UInt8(ascii: " ") { bytes = bytes.dropLast() }
        return bytes
    }
}
