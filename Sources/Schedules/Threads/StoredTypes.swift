/// What the stored properties of a type are made of, from the metadata that the compiler leaves in the program
/// (swift/ABI/Metadata.h, swift/RemoteInspection/Records.h).
///
/// It sees properties, and those of the types that they name, also behind pointers. It does not see variables of a file or
/// of C, and not what a generic parameter stands for. A type that can't be copied is taken for an atomic: its name can't be
/// read, and there are hardly any others.
enum StoredTypes {
    /// Whether atomics or a lock of the module `Synchronization` are among them. O(types).
    static func holdAtomics(_ type: Any.Type) -> Bool {
        var seen: Set<UnsafeRawPointer> = []
        guard let descriptor = descriptor(of: type) else { return false }
        return holdsAtomics(descriptor, &seen)
    }

    /// Kinds of context descriptors.
    private enum Kind {
        static let module: UInt32 = 0
        static let nominal: ClosedRange<UInt32> = 16...18
    }

    /// Modules whose types synchronise in ways that are controlled, or not at all.
    private static let known: Set<String> = [
        "Swift", "Foundation", "FoundationEssentials", "Dispatch", "Glibc", "SwiftGlibc", "_Concurrency", "__C",
    ]

    private static func descriptor(of type: Any.Type) -> UnsafeRawPointer? {
        let metadata = unsafeBitCast(type, to: UnsafeRawPointer.self)
        let kind = metadata.load(as: UInt.self)
        // A class has its descriptor behind what says how large its instances are; without Objective-C its kind is 0.
        let offset: Int? = kind == 0 || kind > 0x7FF ? 40 : kind == 0x200 || kind == 0x201 ? 8 : nil
        return offset.flatMap { metadata.load(fromByteOffset: $0, as: UnsafeRawPointer?.self) }
    }

    private static func holdsAtomics(_ descriptor: UnsafeRawPointer, _ seen: inout Set<UnsafeRawPointer>) -> Bool {
        guard seen.insert(descriptor).inserted else { return false }
        let kind = descriptor.load(as: UInt32.self) & 0x1F
        guard Kind.nominal.contains(kind), let module = module(of: descriptor) else { return false }
        if module == "Synchronization" { return true }
        guard !known.contains(module), let fields = target(descriptor + 16) else { return false }
        let count = Int((fields + 12).load(as: UInt32.self))
        let size = Int((fields + 10).load(as: UInt16.self))
        for index in 0..<count {
            guard let name = target(fields + 16 + index * size + 4) else { continue }
            guard let types = descriptors(named: name) else { return true }
            for named in types where holdsAtomics(named, &seen) { return true }
        }
        return false
    }

    /// The types that a mangled name refers to by their descriptors; `nil` for one that can't be copied, which a function
    /// of the program makes.
    private static func descriptors(named name: UnsafeRawPointer) -> [UnsafeRawPointer]? {
        var found: [UnsafeRawPointer] = []
        var place = name
        while true {
            let byte = place.load(as: UInt8.self)
            place += 1
            switch byte {
            case 0: return found
            case 1:
                let offset = Int(place.loadUnaligned(as: Int32.self))
                found.append(place + offset)
                place += 4
            case 2:
                let offset = Int(place.loadUnaligned(as: Int32.self))
                if let type = (place + offset).load(as: UnsafeRawPointer?.self) { found.append(type) }
                place += 4
            case 9: return nil
            case 3...0x17: place += 4
            case 0x18...0x1F: place += 8
            default: break
            }
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

    /// What a relative pointer points to.
    private static func target(_ place: UnsafeRawPointer) -> UnsafeRawPointer? {
        let offset = place.load(as: Int32.self)
        return offset == 0 ? nil : place + Int(offset)
    }
}
