import Testing
import TrialModel

@Suite(.timeLimit(.minutes(1)))
struct ProgramNameTests {
    @Test(arguments: ["fast-cache-trials", "./fast-cache-trials", "/opt/my tools/fast-cache-trials"])
    func `a program has the name of its file`(path: String) {
        #expect(ProgramName.name(ofFile: path) == "fast-cache-trials")
    }

    @Test(arguments: ["", "/", "-rf", "a b", "/bin/$(reboot)", "two\nlines", "é", "a;b"])
    func `a name that a command would have to quote is not used`(path: String) {
        #expect(ProgramName.name(ofFile: path) == "cache-trials")
    }
}
