import EvictionPolicies
import Foundation
import Platform
import Traces

/// How long advice takes on a long trace, and how much memory.
enum SpeedTrial {
    /// - Parameters:
    ///   - path: a file that is generated if it is not there: records of libCacheSim, with times and sizes.
    static func run(_ path: String, requests: Int) throws {
        if !FileManager.default.fileExists(atPath: path) {
            try generate(path, requests: requests)
            print("generated \(requests) requests; run it again, so that only the advice is measured")
            return
        }
        let watch = Stopwatch(isRunning: true)
        var request = AdviceRequest()
        request.missCost = MissCost(nanosecondsPerMiss: 5e6, nanosecondsPerByte: 0)
        request.jobs = 2
        let advice = try TraceAdvice(path: path, request: request)
        let seconds = Double(watch.nanoseconds) / 1e9
        print("\(advice.character.requests) requests, \(Int(advice.character.keys.value)) keys: \(advice.method)")
        print("\(advice.policy.name), \(advice.refusal?.description ?? "not refused")")
        print("\(AdviceTrials.text(seconds)) s, of processors \(AdviceTrials.text(Double(ProcessClock.now()) / 1e9)) s")
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        print(status.split(separator: "\n").first { $0.hasPrefix("VmHWM") } ?? "")
    }

    private static func generate(_ path: String, requests: Int) throws {
        let process = GeneratedProcess(exponent: 0.9, keys: requests / 5)
        try Data().write(to: URL(fileURLWithPath: path))
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        var bytes: [UInt8] = []
        var (count, failure): (Int, (any Error)?) = (0, nil)
        process.generate(requests: requests, seed: 1) { key in
            let size = UInt32(GeneratedProcess.size(key))
            withUnsafeBytes(of: UInt32(count / 1_000).littleEndian) { bytes.append(contentsOf: $0) }
            withUnsafeBytes(of: UInt64(key).littleEndian) { bytes.append(contentsOf: $0) }
            withUnsafeBytes(of: size.littleEndian) { bytes.append(contentsOf: $0) }
            withUnsafeBytes(of: Int64(-1).littleEndian) { bytes.append(contentsOf: $0) }
            count += 1
            guard bytes.count >= 1 << 20, failure == nil else { return }
            do { try file.write(contentsOf: bytes) } catch { failure = error }
            bytes.removeAll(keepingCapacity: true)
        }
        if let failure { throw failure }
        try file.write(contentsOf: bytes)
        try file.close()
    }
}
