import CacheStrategies
import Foundation
import TrialModel

/// Writes to a disk cache until it kills itself: `disk-kill-writer FOLDER SEED FIRST-VERSION MODE NUMBER`.
///
/// The mode `after` kills from another thread so many microseconds after the folder was opened; `at` kills just before
/// the call of that number on the folder once it is open, `opening` counts from its opening on. SIGKILL runs no handler, so nothing is tidied up, as when another process sends it.
@main
struct DiskKillWriter {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 6, let seed = UInt64(arguments[2]), let firstVersion = Int(arguments[3]),
            let number = Int(arguments[5])
        else {
            FileHandle.standardError.write(Data("usage: FOLDER SEED FIRST-VERSION after|at|opening NUMBER\n".utf8))
            exit(64)
        }
        let configuration = StrategyConfiguration(directory: URL(fileURLWithPath: arguments[1], isDirectory: true))
        let counter = CallCounter()
        if arguments[4] == "opening" { counter.killAtCall(number) }
        let cache = try DiskCache<Int, Data>(configuration: configuration) { directory throws(FileLayerError) in
            KillingFileLayer(try POSIXFileLayer(directory: directory), counter)
        }
        if arguments[4] == "at" { counter.killAtCall(number) }
        if arguments[4] == "after" {
            Thread.detachNewThread {
                usleep(UInt32(clamping: number))
                killSelf()
            }
        }
        await write(to: cache, seed: seed, firstVersion: firstVersion)
    }

    private static func write(to cache: DiskCache<Int, Data>, seed: UInt64, firstVersion: Int) async {
        var random = RandomSource(seed: seed)
        var version = firstVersion
        while true {
            for _ in 0..<KillScript.stepsPerFlush {
                let key = Int(random.next(below: UInt64(KillScript.keyCount)))
                if random.next(below: 5) == 0 {
                    say(.remove(key: key))
                    await cache.removeValue(forKey: key)
                } else {
                    say(.insert(key: key, version: version))
                    await cache.insert(KillScript.payload(key: key, version: version), forKey: key, cost: 1)
                    version += 1
                }
            }
            do {
                try await cache.flush()
            } catch {
                FileHandle.standardError.write(Data("\(error)\n".utf8))
                exit(2)
            }
            say(.flushed)
        }
    }

    /// One unbuffered write, so that what was said has been said when the kill comes.
    private static func say(_ step: KillScript.Step) {
        FileHandle.standardOutput.write(Data(step.line.utf8))
    }
}

func killSelf() {
    kill(getpid(), SIGKILL)
}
