import Foundation
import Platform

/// The parser that this process fuzzes; `scripts/nightly fuzz` names it.
private let target: FuzzTarget = {
    let name = ProcessInfo.processInfo.environment["CACHE_TRIALS_FUZZ_TARGET"] ?? ""
    guard let target = FuzzTarget(rawValue: name) else {
        let names = FuzzTarget.allCases.map(\.rawValue).joined(separator: ", ")
        say("CACHE_TRIALS_FUZZ_TARGET is '\(name)', and one of these is needed: \(names)")
        exit(64)
    }
    return target
}()

/// libFuzzer calls this for every input. A finding ends the process like a crash, so that the input is kept.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    do {
        let bytes = Array(UnsafeBufferPointer(start: start, count: count))
        guard let finding = try target.findings(in: bytes) else { return 0 }
        say("\(target.rawValue): \(finding)")
    } catch {
        say("the surroundings fail: \(error)")
    }
    abort()
}

private func say(_ line: String) {
    FileHandle.standardError.write(Data("fuzz: \(line)\n".utf8))
}
