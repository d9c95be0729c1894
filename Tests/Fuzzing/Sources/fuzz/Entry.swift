import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Which reader this process drives; `scripts/fuzz` names it.
private let target: FuzzTarget = {
    let name = ProcessInfo.processInfo.environment["CACHE_TRIALS_FUZZ_TARGET"] ?? ""
    guard let target = FuzzTarget(rawValue: name) else {
        let names = FuzzTarget.allCases.map(\.rawValue).joined(separator: ", ")
        fputs("fuzz: CACHE_TRIALS_FUZZ_TARGET is '\(name)', and one of these is needed: \(names)\n", stderr)
        exit(64)
    }
    return target
}()

/// libFuzzer calls this for every input. A finding ends the process as a crash would, so that the input is kept.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    do {
        let bytes = Array(UnsafeBufferPointer(start: start, count: count))
        guard let finding = try target.findings(in: bytes) else { return 0 }
        fputs("fuzz: \(target.rawValue): \(finding)\n", stderr)
    } catch {
        fputs("fuzz: the surroundings fail: \(error)\n", stderr)
    }
    abort()
}
