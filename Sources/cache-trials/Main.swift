import CacheTrials

/// The program. All of it is in the module `CacheTrials`, so that others can build a command of their own.
@main
struct Main {
    static func main() {
        CacheTrialsCommand.main(adding: [])
    }
}
