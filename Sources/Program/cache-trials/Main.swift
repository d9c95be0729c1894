import CacheTrials

/// The program. All of its code is in `CacheTrials`, so that others can build a command of their own.
@main
struct Main {
    static func main() {
        CacheTrialsCommand.main(adding: [])
    }
}
