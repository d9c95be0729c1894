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
        // A limit on the size of files is an error of the write that meets it, as a full disk is.
        signal(SIGXFSZ, SIG_IGN)
        openStandardDescriptors()
        await CacheTrialsCommand.main()
    }

    /// Opens those of the three standard descriptors that are closed, as after `>&-` in a shell: the next file that is
    /// opened would get the number, and what is printed would go into it.
    private static func openStandardDescriptors() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
            // The lowest number that is free is this one.
            _ = open("/dev/null", O_RDWR)
        }
    }
}
