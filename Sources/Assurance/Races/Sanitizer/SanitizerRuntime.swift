import Foundation

/// The sanitizer's runtime in this process, and the symbolizer that it needs.
package enum SanitizerRuntime {
    /// Whether this program was built with Thread Sanitizer.
    package static let isPresent: Bool = dlsym(dlopen(nil, RTLD_NOW), "__tsan_init") != nil

    /// The path of `llvm-symbolizer`; nil where there is none.
    ///
    /// Without it, reports have neither files nor lines. The toolchain's own symbolizer, next to the first `swift` in
    /// PATH, is preferred to any other: it knows the debug information that this compiler writes. Searches the folders
    /// of PATH, which must be absolute paths.
    package static func symbolizer(
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> String? {
        let folders = (environment["PATH"] ?? "").split(separator: ":").map(String.init).filter { $0.hasPrefix("/") }
        var candidates: [String] = []
        if let folder = folders.first(where: { isProgram($0 + "/swift") }) {
            // The link's own folder is searched last: /usr/bin may hold a link to swift and another LLVM's symbolizer.
            let swift = URL(fileURLWithPath: folder + "/swift").resolvingSymlinksInPath()
            candidates.append(swift.deletingLastPathComponent().path)
        }
        candidates += folders
        return candidates.lazy.map { $0 + "/llvm-symbolizer" }.first(where: isProgram)
    }

    private static func isProgram(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && !isFolder.boolValue
            && FileManager.default.isExecutableFile(atPath: path)
    }
}
