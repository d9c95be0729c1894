import CThreadControl

/// Finds the types of a type's stored properties, from the metadata that the compiler leaves in the program
/// (swift/ABI/Metadata.h, swift/RemoteInspection/Records.h).
///
/// It finds properties and, recursively, those of the types that they name, also behind pointers and in collections. It
/// does not find global variables or variables of C, and does not look into non-copyable types: those are identified by
/// the symbol of their name, and count as atomics where the program has no symbols.
enum StoredTypes {
    /// Whether atomics or a lock of the module `Synchronization` are among them. O(types).
    static func holdAtomics(_ type: Any.Type) -> Bool {
        var seen: Set<UnsafeRawPointer> = []
        return holdsAtomics(Node(type), &seen)
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

    private static func holdsAtomics(_ node: Node, _ seen: inout Set<UnsafeRawPointer>) -> Bool {
        guard let descriptor = node.descriptor, Kind.nominal.contains(descriptor.load(as: UInt32.self) & 0x1F),
            seen.insert(node.arguments ?? descriptor).inserted, let module = module(of: descriptor)
        else { return false }
        if module == "Synchronization" { return true }
        guard !known.contains(module), let fields = target(descriptor + 16) else { return false }
        let count = Int((fields + 12).load(as: UInt32.self))
        let size = Int((fields + 10).load(as: UInt16.self))
        for index in 0..<count {
            guard let name = target(fields + 16 + index * size + 4) else { continue }
            let mangled = MangledName(name)
            for named in mangled.descriptors where holdsAtomics(Node(descriptor: named), &seen) { return true }
            if mangled.isMadeByFunction {
                if isSynchronization(symbolAt: name) { return true }
            } else if node.arguments != nil || !node.isGeneric, let type = mangled.type(in: descriptor, node.arguments),
                holdsAtomics(Node(type), &seen)
            {
                return true
            }
        }
        return false
    }

    /// Whether an unreadable name is a type of `Synchronization`, or has no symbol that could tell.
    private static func isSynchronization(symbolAt place: UnsafeRawPointer) -> Bool {
        var name = [CChar](repeating: 0, count: 256)
        guard thread_schedule_symbol(UInt(bitPattern: place), &name, name.count) else { return true }
        return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            .contains("15Synchronization")
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
                return target(context + 8).map { String(cString: $0.assumingMemoryBound(to: CChar.self)) }
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

    /// The target of a relative pointer.
    private static func target(_ place: UnsafeRawPointer) -> UnsafeRawPointer? {
        let offset = place.load(as: Int32.self)
        return offset == 0 ? nil : place + Int(offset)
    }
}
