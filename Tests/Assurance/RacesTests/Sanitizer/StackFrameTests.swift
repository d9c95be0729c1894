import Testing

@testable import Races

@Suite(.timeLimit(.minutes(1))) struct StackFrameTests {
    private func frame(_ line: String) -> StackFrame? {
        var demangler = Demangler()
        return StackFrame(line: Array(line.utf8)[...], demangler: &demangler)
    }

    @Test func `a frame has function, file and line`() {
        let line = "    #12 $s4racy5CacheC6insertyyq__xtF /project/a.swift:5:44 (racy+0xfd82c) (BuildId: 2e68)"
        let expected = StackFrame(function: "racy.Cache.insert(B, A) -> ()", file: "/project/a.swift", line: 5)
        #expect(frame(line) == expected)
    }

    @Test(arguments: [
        "    #0 f <null> (libFoundation.so+0x37) (BuildId: bb)",
        "    #0 f /<compiler-generated> (libFoundation.so+0x37)",
        "    #0 f /<compiler-generated>:4:1 (libFoundation.so+0x37)", "    #0 f (libFoundation.so+0x37)",
        "    #0 f /<compiler-generated>:0 (/opt/lib/libFoundation.so+0x37)",
    ])
    func `code without a source has no file`(line: String) {
        #expect(frame(line) == StackFrame(function: "f"))
    }

    @Test func `a file may come without a line`() {
        let expected = StackFrame(function: "f", file: "/project/a.swift")
        #expect(frame("    #1 f /project/a.swift (m+0x1)") == expected)
        #expect(frame("    #1 f /project/a.swift:0 (m+0x1)") == expected)
    }

    @Test func `an unsymbolized frame has nothing`() {
        #expect(frame("    #0 <null> <null> (samples+0x7d3ea) (BuildId: c9)") == StackFrame(function: nil))
    }

    @Test func `spaces in the names of C++ and in paths are understood`() {
        let line = "    #2 swift::f(swift::Job*, unsigned long) /My Files/a (b).swift:3:4 (my tool+0x1) (BuildId: 0)"
        let expected = StackFrame(
            function: "swift::f(swift::Job*, unsigned long)", file: "/My Files/a (b).swift", line: 3)
        #expect(frame(line) == expected)
    }

    @Test func `a relative file of the system's libraries is read`() {
        let line = "    #3 swift::run(swift::Job*) crtstuff.c (libswift_Concurrency.so+0x71e5f)"
        let expected = StackFrame(function: "swift::run(swift::Job*)", file: "crtstuff.c")
        #expect(frame(line) == expected)
    }

    @Test(arguments: ["", "    #", "    #x f", "  #0 f", "    0 f", "    #1", "    #-1 f /a.swift:1"])
    func `anything else is not a frame`(line: String) {
        #expect(frame(line) == nil)
    }
}
