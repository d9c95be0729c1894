/// One call in the stack of an access.
package struct StackFrame: Sendable, Hashable {
    /// The function, demangled; nil where the symbolizer didn't know it.
    package let function: String?
    /// The source file from the debug information; nil if there is none, or if the compiler generated the code.
    package var file: String?
    /// The line in `file`; nil also where the debug information names a file only.
    package var line: Int?
}
