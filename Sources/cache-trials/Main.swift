import CacheTrials

/// The program. Everything it does stands in `CacheTrials`, so that others can build a command of their own.
@main
struct Main {
    static func main() {
        CacheTrialsCommand.main(adding: [])
    }
}
