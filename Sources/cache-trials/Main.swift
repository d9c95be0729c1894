import ArgumentParser
import CacheTrials

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The program. Everything it does stands in `CacheTrials`, so that others can build a command of their own.
@main
struct Main {
    static func main() async {
        // A reader that goes away, as `head` does, must not end a run in the middle.
        signal(SIGPIPE, SIG_IGN)
        await CacheTrialsCommand.main()
    }
}
