/// Parses numbers strictly: digits only, no sign, no blanks.
enum Digits {
    /// Why a field is not a number.
    enum Mistake: Error {
        case notANumber, tooLarge
    }

    /// A whole number from 0 to 2^64 - 1.
    @inline(__always)
    static func number(_ text: UnsafeRawBufferPointer) throws(Mistake) -> UInt64 {
        guard !text.isEmpty else { throw .notANumber }
        // 19 digits can't overflow.
        let count = text.count < 19 ? text.count : 19
        var value: UInt64 = 0
        var index = 0
        if count >= 8, let base = text.baseAddress {
            while index &+ 8 <= count {
                value = value &* 100_000_000 &+ (try eightDigits(base + index))
                index &+= 8
            }
        }
        while index < count {
            let digit = text[index] &- 0x30
            guard digit < 10 else { throw .notANumber }
            value = value &* 10 &+ UInt64(digit)
            index &+= 1
        }
        return text.count <= 19 ? value : try longNumber(text, leading: value)
    }

    /// Parses eight digits at once: adjacent values are combined in three steps.
    @inline(__always)
    private static func eightDigits(_ text: UnsafeRawPointer) throws(Mistake) -> UInt64 {
        let word = UInt64(littleEndian: text.loadUnaligned(as: UInt64.self))
        // A byte from 0x30 to 0x39 keeps its upper half when 6 is added to it, and no other does.
        guard word & 0xF0F0_F0F0_F0F0_F0F0 == 0x3030_3030_3030_3030,
            (word &+ 0x0606_0606_0606_0606) & 0xF0F0_F0F0_F0F0_F0F0 == 0x3030_3030_3030_3030
        else { throw .notANumber }
        let digits = word & 0x0F0F_0F0F_0F0F_0F0F
        let pairs = (digits &* 10 &+ (digits &>> 8)) & 0x00FF_00FF_00FF_00FF
        let fours = (pairs &* 100 &+ (pairs &>> 16)) & 0x0000_FFFF_0000_FFFF
        return (fours &* 10_000 &+ (fours &>> 32)) & 0xFFFF_FFFF
    }

    @inline(never)
    private static func longNumber(_ text: UnsafeRawBufferPointer, leading: UInt64) throws(Mistake) -> UInt64 {
        var value = leading
        var isTooLarge = false
        for byte in text.dropFirst(19) {
            let digit = byte &- 0x30
            guard digit < 10 else { throw .notANumber }
            let (product, overflows) = value.multipliedReportingOverflow(by: 10)
            let (sum, carries) = product.addingReportingOverflow(UInt64(digit))
            isTooLarge = isTooLarge || overflows || carries
            value = sum
        }
        guard !isTooLarge else { throw .tooLarge }
        return value
    }

    /// A time with or without a fraction, in nanoseconds. Digits beyond the nanosecond must be valid but are dropped.
    ///
    /// - Parameter unit: the nanoseconds of one unit.
    static func nanoseconds(_ text: UnsafeRawBufferPointer, unit: UInt64) throws(Mistake) -> UInt64 {
        var point = 0
        while point < text.count, text[point] != 0x2E { point &+= 1 }
        let whole = try number(UnsafeRawBufferPointer(rebasing: text[..<point]))
        var (total, overflows) = whole.multipliedReportingOverflow(by: unit)
        if point < text.endIndex {
            guard point + 1 < text.endIndex else { throw .notANumber }
            var weight = unit
            var fraction: UInt64 = 0
            for byte in text[(point + 1)...] {
                let digit = byte &- 0x30
                guard digit < 10 else { throw .notANumber }
                weight /= 10
                fraction += UInt64(digit) * weight
            }
            let (sum, carries) = total.addingReportingOverflow(fraction)
            overflows = overflows || carries
            total = sum
        }
        guard !overflows else { throw .tooLarge }
        return total
    }

    /// Whether the text is a number, with or without a fraction.
    static func isDecimal(_ text: UnsafeRawBufferPointer) -> Bool { (try? nanoseconds(text, unit: 1)) != nil }

    /// Whether the text is a number in its only spelling, so that two texts never give the same number.
    static func isCanonical(_ text: UnsafeRawBufferPointer) -> Bool {
        guard (try? number(text)) != nil else { return false }
        return text.count == 1 || text[0] != 0x30
    }
}

/// Bytes of a trace for an error message.
enum Excerpt {
    /// At most 48 bytes, in quotes; a dot replaces each unprintable byte.
    static func of(_ bytes: UnsafeRawBufferPointer) -> String {
        let shown = bytes.prefix(48).map { (0x20..<0x7F).contains($0) ? Character(UnicodeScalar($0)) : "." }
        return "\"\(String(shown))\"" + (bytes.count > 48 ? " and \(bytes.count - 48) bytes more" : "")
    }
}

extension ByteWindow {
    /// A whole number from a field of the last line.
    @inline(__always)
    func number(
        _ text: UnsafeRawBufferPointer, _ name: StaticString, upTo limit: UInt64 = .max
    ) throws(TraceFault) -> UInt64 {
        do throws(Digits.Mistake) {
            let number = try Digits.number(text)
            if number <= limit { return number }
        } catch .notANumber {
            throw fault(.notARecord(found: "\(name) \(Excerpt.of(text))", allowed: "a whole number, digits only"))
        } catch {}
        throw fault(.outOfRange("\(name)", found: Excerpt.of(text), allowed: "0 to \(limit)"))
    }

    /// A size from a field of the last line.
    @inline(__always)
    func size(_ text: UnsafeRawBufferPointer) throws(TraceFault) -> UInt64 {
        try number(text, "size", upTo: TraceRequest.sizeMax)
    }
}
