import Testing
import TrialModel

@Suite(.timeLimit(.minutes(1)))
struct ProgramNameTests {
    @Test(arguments: ["fast-cache-trials", "./fast-cache-trials", "/opt/my tools/fast-cache-trials"])
    func `a program is called as its file`(path: String) {
        #expect(ProgramName.name(ofFile: path) == "fast-cache-trials")
    }

    @Test(arguments: ["", "/", "-rf", "a b", "/bin/$(reboot)", "two\nlines", "é", "a;b"])
    func `a name that no command can hold as it is is not used`(path: String) {
        #expect(ProgramName.name(ofFile: path) == "cache-trials")
    }
}
