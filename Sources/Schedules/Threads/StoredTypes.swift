import CThreadControl
import Foundation

/// Finds the atomics of a type in what the compiler leaves in the program: among its stored properties and,
/// recursively, those of the types that they name and of superclasses, also behind pointers and in collections
/// (swift/ABI/Metadata.h, swift/RemoteInspection/Records.h), among the global variables that its functions reach, and as
/// instructions in the code that they reach, also in C.
///
/// Calls through pointers, such as those of closures that others made, are not followed; nor are loads and stores of
/// atomics other than properties and globals told from others. In a program without symbols, every non-copyable type
/// counts as an atomic, and no globals or instructions are found.
struct StoredTypes {
    /// Something whose order can't be controlled.
    struct Finding: Hashable {
        enum Kind {
            case atomic
            /// An atomic instruction in a function.
            case instruction
        }

        let kind: Kind
        /// `Cache.hits (Atomic<Int>)`.
        let description: String
    }

    private var seen: Set<UnsafeRawPointer> = []
    /// The beginnings of the symbols of the types' functions.
    private var prefixes: [String] = []
    /// The full names of the types.
    private var names: Set<String> = []
    private var findings: [Finding] = []

    /// The findings, each once. O(types + symbols).
    static func findings(_ type: Any.Type) -> [Finding] {
        var search = StoredTypes()
        search.names = fullNames(String(reflecting: type))
        search.visit(Node(type))
        search.visitCode()
        var listed: Set<Finding> = []
        return search.findings.filter { listed.insert($0).inserted }
    }

    /// A type, or a generic type whose parameters are unknown.
    private struct Node {
        var descriptor: UnsafeRawPointer?
        /// The arguments of its generic parameters.
        var arguments: UnsafeRawPointer?

        init(descriptor: UnsafeRawPointer) {
            self.descriptor = descriptor
        }

        init(_ type: Any.Type) {
            let metadata = unsafeBitCast(type, to: UnsafeRawPointer.self)
            switch metadata.load(as: UInt.self) {
            case 0x200, 0x201, 0x202:
                descriptor = metadata.load(fromByteOffset: 8, as: UnsafeRawPointer?.self)
                arguments = metadata + 16
            case 0:
                descriptor = metadata.load(fromByteOffset: 40, as: UnsafeRawPointer?.self)
                guard let descriptor else { return }
                // This follows the header of all classes: all words, then those of the class itself.
                let words = (descriptor + 28).load(as: UInt32.self)
                let own = (descriptor + 32).load(as: UInt32.self)
                arguments = metadata + 8 * Int(words &- own)
            default: return
            }
        }

        var isClass: Bool { descriptor.map { $0.load(as: UInt32.self) & 0x1F == 16 } ?? false }
        var isAtomic: Bool { descriptor.flatMap(StoredTypes.module).map(StoredTypes.atomics.contains) ?? false }
        var isGeneric: Bool { descriptor.map { $0.load(as: UInt32.self) & 0x80 != 0 } ?? false }
    }

    /// Kinds of context descriptors.
    private enum Kind {
        static let module: UInt32 = 0
        static let nominal: ClosedRange<UInt32> = 16...18
    }

    /// Modules whose types synchronise only in controlled ways, or not at all.
    private static let known: Set<String> = [
        "Swift", "Foundation", "FoundationEssentials", "Dispatch", "Glibc", "SwiftGlibc", "_Concurrency", "__C",
    ]

    /// Modules whose types are atomics or locks that threads take by atomics.
    private static let atomics: Set<String> = ["Synchronization", "Atomics"]

    private mutating func visit(_ node: Node) {
        guard let descriptor = node.descriptor, Kind.nominal.contains(descriptor.load(as: UInt32.self) & 0x1F),
            seen.insert(node.arguments ?? descriptor).inserted, let module = Self.module(of: descriptor),
            !Self.known.contains(module), !Self.atomics.contains(module)
        else { return }
        if let symbol = Self.symbol(at: descriptor), symbol.hasSuffix("Mn") {
            prefixes.append(String(symbol.dropLast(2)))
        }
        if node.isClass, let superclass = Self.target(descriptor + 20) { visit(superclass, of: node, field: nil) }
        guard let fields = Self.target(descriptor + 16) else { return }
        let count = Int((fields + 12).load(as: UInt32.self))
        let size = Int((fields + 10).load(as: UInt16.self))
        for index in 0..<count {
            let record = fields + 16 + index * size
            guard let name = Self.target(record + 4) else { continue }
            visit(name, of: node, field: "\(Self.name(descriptor)).\(Self.target(record + 8).map(Self.text) ?? "")")
        }
    }

    /// - Parameters:
    ///   - place: the mangled name of the type of a property or of a superclass.
    ///   - field: the property; `nil` for a superclass.
    private mutating func visit(_ place: UnsafeRawPointer, of node: Node, field: String?) {
        let mangled = MangledName(place)
        guard !mangled.isMadeByFunction else {
            if let field, let type = Self.nonCopyable(at: place) { note(.atomic, "\(field) (\(type))") }
            return
        }
        let isKnown = node.arguments != nil || !node.isGeneric
        let type = isKnown ? node.descriptor.flatMap { mangled.type(in: $0, node.arguments) } : nil
        let nodes = mangled.descriptors.map(Node.init(descriptor:)) + (type.map { [Node($0)] } ?? [])
        if let field, let atomic = nodes.first(where: \.isAtomic)?.descriptor {
            note(.atomic, "\(field) (\(type.map { "\($0)" } ?? Self.name(atomic)))")
        }
        nodes.forEach { visit($0) }
    }

    private mutating func note(_ kind: Finding.Kind, _ description: String) {
        findings.append(Finding(kind: kind, description: description))
    }

    /// The non-copyable type that a function makes, from the symbol of its name; `nil` if it is not an atomic.
    private static func nonCopyable(at place: UnsafeRawPointer) -> String? {
        guard let symbol = symbol(at: place) else { return "a type without a symbol" }
        guard let module = symbol.range(of: "15Synchronization") else { return nil }
        let mangled = symbol[module.lowerBound...].prefix { $0 != " " }
        if let name = demangled("$s\(mangled)D") { return name }
        // It refers to something before it; its own name does not.
        let name = symbol[module.upperBound...]
        return String(name.drop(while: \.isNumber).prefix(Int(name.prefix(while: \.isNumber)) ?? 0))
    }

    private static func symbol(at place: UnsafeRawPointer) -> String? {
        var name = [CChar](repeating: 0, count: 512)
        guard thread_schedule_symbol(UInt(bitPattern: place), &name, name.count) else { return nil }
        return name.withUnsafeBufferPointer { $0.baseAddress.map(String.init(cString:)) }
    }

    /// Adds the globals and instructions that the functions of all visited types reach.
    private mutating func visitCode() {
        for (symbol, isCode) in reached() {
            guard let text = Self.demangled(symbol) else {
                // A function of C.
                if isCode { note(.instruction, "in \(symbol)") }
                continue
            }
            let parts = text.split(separator: " : ", maxSplits: 1)
            if isCode {
                // Of a closure, the function that it is in.
                let function = text.components(separatedBy: " in ").last ?? text
                note(.instruction, "in \(function.prefix { $0 != "(" })")
            } else if Self.atomics.contains(where: { symbol.contains("\($0.utf8.count)\($0)") }), parts.count == 2 {
                note(.atomic, "the global \(parts[0].replacing("static ", with: "")) (\(parts[1]))")
            } else if let type = Self.typeOfGlobal(symbol) {
                visit(type)
            }
        }
    }

    /// The type of a global variable without its generic arguments, if it is a struct, class or enum of this program.
    private static func typeOfGlobal(_ symbol: String) -> Node? {
        guard let text = demangled(symbol, isFull: true), let colon = text.range(of: " : ") else { return nil }
        let address = thread_schedule_descriptor(String(text[colon.upperBound...].prefix { !"<?".contains($0) }))
        return UnsafeRawPointer(bitPattern: address).map(Node.init(descriptor:))
    }

    /// What the search of the program's code works on.
    private struct Reach {
        let names: Set<String>
        var found: [(symbol: String, isCode: Bool)] = []
    }

    private func reached() -> [(symbol: String, isCode: Bool)] {
        guard !prefixes.isEmpty else { return [] }
        var reach = Reach(names: names)
        let texts = prefixes.map { strdup($0) }
        defer { texts.forEach { free($0) } }
        let pointers = texts.map { UnsafePointer($0) }
        withUnsafeMutablePointer(to: &reach) { reach in
            thread_schedule_reach(
                pointers, pointers.count,
                { name, context in
                    guard let name, let context else { return false }
                    let reach = context.assumingMemoryBound(to: Reach.self)
                    return StoredTypes.isSpecialised(String(cString: name), forTypesIn: reach.pointee.names)
                },
                { name, isCode, context in
                    guard let name, let context else { return }
                    context.assumingMemoryBound(to: Reach.self).pointee.found.append((String(cString: name), isCode))
                }, reach)
        }
        return reach.found
    }

    /// Whether a function is not specialised, or for these types: the same function for others is not the strategy's.
    private static func isSpecialised(_ symbol: String, forTypesIn names: Set<String>) -> Bool {
        guard let text = demangled(symbol, isFull: true), let start = text.range(of: "specialization <"),
            let end = text.range(of: "> of ")
        else { return true }
        return start.upperBound >= end.lowerBound
            || fullNames(String(text[start.upperBound..<end.lowerBound])).isSubset(of: names)
    }

    /// The full names of types in a text, except those of known modules.
    private static func fullNames(_ text: String) -> Set<String> {
        let plain = text.replacing(#/\((\w+) in _\w+\)/#) { $0.output.1 }
            .replacing(#/\(unknown context at \$\w+\)\./#, with: "")
        let names = plain.matches(of: #/\b(\w+)\.\w+(?:\.\w+)*/#).filter { match in
            let module = String(match.output.1)
            return !known.contains(module) && !atomics.contains(module)
        }
        return Set(names.map { String($0.output.0) })
    }

    /// The name behind a symbol.
    ///
    /// - Parameter isFull: whether it has modules and private discriminators.
    private static func demangled(_ symbol: String, isFull: Bool = false) -> String? {
        var text = [CChar](repeating: 0, count: 1024)
        guard thread_schedule_demangle(symbol, &text, text.count) else { return nil }
        let name = text.withUnsafeBufferPointer { $0.baseAddress.map(String.init(cString:)) } ?? ""
        guard !isFull else { return name }
        return name.replacing(#/\((\w+) in _\w+\)/#) { $0.output.1 }.replacing(
            #/\b[A-Za-z_]\w*\.(?=[A-Za-z_])/#, with: "")
    }

    /// The name of a type as the program stores it, with references in place of type names.
    private struct MangledName {
        private let start: UnsafeRawPointer
        private var length = 0
        /// The types that it refers to.
        private(set) var descriptors: [UnsafeRawPointer] = []
        /// Whether it names a function that makes the type, as for non-copyable types.
        private(set) var isMadeByFunction = false

        init(_ name: UnsafeRawPointer) {
            start = name
            while true {
                let place = name + length
                let byte = place.load(as: UInt8.self)
                if byte == 0 { return }
                length += byte < 0x18 ? 5 : byte < 0x20 ? 9 : 1
                guard byte < 0x18 else { continue }
                let reference = place + 1 + Int((place + 1).loadUnaligned(as: Int32.self))
                switch byte {
                case 1: descriptors.append(reference)
                case 2: if let type = reference.load(as: UnsafeRawPointer?.self) { descriptors.append(type) }
                case 9: isMadeByFunction = true
                default: break
                }
            }
        }

        /// The type, if its generic arguments are known or not needed.
        func type(in context: UnsafeRawPointer, _ arguments: UnsafeRawPointer?) -> Any.Type? {
            _getTypeByMangledNameInContext(
                start.assumingMemoryBound(to: UInt8.self), UInt(length), genericContext: context,
                genericArguments: arguments)
        }
    }

    /// The name of the module of a type.
    private static func module(of descriptor: UnsafeRawPointer) -> String? {
        var context = descriptor
        for _ in 0..<32 {
            if context.load(as: UInt32.self) & 0x1F == Kind.module {
                return name(context)
            }
            let relative = (context + 4).load(as: Int32.self)
            guard relative != 0 else { return nil }
            let place = context + 4 + Int(relative & ~1)
            if relative & 1 == 0 {
                context = place
            } else {
                guard let parent = place.load(as: UnsafeRawPointer?.self) else { return nil }
                context = parent
            }
        }
        return nil
    }

    /// The name of a type or a module.
    private static func name(_ descriptor: UnsafeRawPointer) -> String { target(descriptor + 8).map(text) ?? "" }

    private static func text(_ place: UnsafeRawPointer) -> String {
        String(cString: place.assumingMemoryBound(to: CChar.self))
    }

    /// The target of a relative pointer.
    private static func target(_ place: UnsafeRawPointer) -> UnsafeRawPointer? {
        let offset = place.load(as: Int32.self)
        return offset == 0 ? nil : place + Int(offset)
    }
}
