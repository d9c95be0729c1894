import Testing

@testable import TrialLoop

/// The watch over the cache of a trial.
@Suite(.timeLimit(.minutes(1)))
struct CacheWatchTests {
    @Test func `a call that never returns is named`() async {
        let (reasons, reason) = AsyncStream.makeStream(of: String.self)
        let watch = CacheWatch(.milliseconds(100)) { reason.yield($0) }
        let call = Task {
            await watch.call("the opening of the cache") { for await _ in AsyncStream<Void>.makeStream().stream {} }
        }
        let text = await reasons.first { _ in true }
        #expect(text?.hasPrefix("the opening of the cache did not end in 0 s") == true)
        call.cancel()
        watch.end()
    }

    @Test func `a phase without progress tells how far it came`() async {
        let (reasons, reason) = AsyncStream.makeStream(of: String.self)
        let watch = CacheWatch(.milliseconds(100)) { reason.yield($0) }
        let progress = PhaseProgress { _ in }
        progress.add(7, at: 0)
        watch.begin(progress)
        #expect(await reasons.first { _ in true }?.hasPrefix("no operation ended in 0 s, after 7") == true)
        watch.end()
    }
}
