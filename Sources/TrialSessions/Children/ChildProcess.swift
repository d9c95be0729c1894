import Foundation
import Subprocess

#if canImport(System)
    import System
#else
    import SystemPackage
#endif

/// How this program starts itself again, as a trial or as the fixture server.
enum ChildProcess {
    /// A child in a process group of its own, so that Ctrl-C reaches only the run, which then ends its children.
    static var platformOptions: PlatformOptions {
        var options = PlatformOptions()
        options.processGroupID = 0
        return options
    }

    /// The runtime's backtracer would take seconds to explain a crash and hide the signal from sanitizers.
    static let environment = Environment.inherit.updating(["SWIFT_BACKTRACE": "enable=no"])

    static func configuration(
        executable: String, arguments: [String], additions: [String: String] = [:]
    ) -> Configuration {
        var updates: [Environment.Key: String?] = [:]
        for (name, value) in additions { updates[Environment.Key(stringLiteral: name)] = value }
        return Configuration(
            executable: .path(FilePath(executable)), arguments: Arguments(arguments),
            environment: environment.updating(updates), platformOptions: platformOptions)
    }
}
