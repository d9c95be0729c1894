/// A place in the source, for display in one line.
package struct SourceLocation: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The file; relative to the root of the code under test if it is below it.
    package let file: String?
    /// The line in the file.
    package var line: Int?
    /// The function's short name, if there is no line number.
    package var function: String?
}

extension SourceLocation {
    /// The location of a stack. O(frames).
    init(of frames: [StackFrame], in roots: SourceRoots) {
        let frame = roots.innermost(of: frames) ?? frames.first { $0.file != nil }
        guard let frame, let file = frame.file else {
            self.init(file: nil, function: frames.lazy.compactMap(\.function).first.map(SimplifiedName.of))
            return
        }
        let function = frame.line == nil ? frame.function.map(SimplifiedName.of) : nil
        self.init(file: roots.displayPath(of: file), line: frame.line, function: function)
    }

    package var description: String {
        switch (file, line, function) {
        case (let file?, let line?, _): "\(file):\(line)"
        case (let file?, nil, let function?): "\(file) in \(function)"
        case (let file?, nil, nil): file
        case (nil, _, let function?): function
        case (nil, _, nil): "unknown place"
        }
    }

    /// An order for reports and tables: by file, line and function.
    package static func < (left: Self, right: Self) -> Bool {
        (left.file ?? "", left.line ?? 0, left.function ?? "")
            < (right.file ?? "", right.line ?? 0, right.function ?? "")
    }
}
