import Foundation
import Locks
import Platform

/// A program that ends when it is stopped, and when the process that started it ends in any way.
///
/// A shell between the two processes reads from a pipe, and this process holds the other end. When this process is
/// killed, the system closes the pipe, the shell reads its end and kills the program.
///
/// Simpler ways don't work. Linux' `PR_SET_PDEATHSIG` reports the end of the thread that started a child, and threads
/// of a pool end while the process lives. Neither `posix_spawn` nor swift-subprocess runs code in a child before its
/// program starts. A process that only links this library, as tests do, has no helper program of its own to put
/// between.
final class SupervisedProcess: Sendable {
    /// The shell's process number, which is also that of the process group of the shell and the program.
    private let shell: pid_t
    private let state: Locked<State>

    private struct State {
        /// Our end of the pipe; -1 when it is closed.
        var lifeline: Int32
        var hasEnded = false
    }

    /// `$1` is the file for the program's number, `$2` the file for its output; the rest is the program and its
    /// arguments.
    private static let script = """
        exec 3<&0
        number=$1; log=$2; shift 2
        "$@" </dev/null >"$log" 2>&1 3<&- &
        program=$!
        echo $program >"$number"
        { read -r line <&3; kill -9 $program; } </dev/null >/dev/null 2>&1 &
        wait $program
        kill -9 $! 2>/dev/null
        wait
        """

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - arguments: the program's path, then its arguments.
    ///   - folder: the folder for its process number (`process`) and its output (`log`).
    /// - Throws: ``ServerError/notStarted(program:reason:)``.
    init(_ arguments: [String], in folder: String) throws(ServerError) {
        let program = arguments.first ?? ""
        let pipe = folder + "/lifeline"
        guard mkfifo(pipe, 0o600) == 0 else { throw .notStarted(program: program, reason: Self.text(of: errno)) }
        // A named pipe, because it can be opened and marked close-on-exec in one step. Another child of this process
        // that inherited it would keep it open.
        let lifeline = open(pipe, O_RDWR | O_CLOEXEC)
        guard lifeline >= 0 else { throw .notStarted(program: program, reason: Self.text(of: errno)) }
        let words = ["/bin/sh", "-c", Self.script, "sh", folder + "/process", folder + "/log"] + arguments
        switch Self.spawn(words, input: pipe) {
        case .success(let number): shell = number
        case .failure(let failure):
            close(lifeline)
            throw .notStarted(program: program, reason: Self.text(of: failure.number))
        }
        state = Locked(State(lifeline: lifeline))
    }

    deinit { stop() }

    private struct SystemError: Error { let number: Int32 }

    /// Starts a child in its own process group. It inherits no open file but standard error.
    ///
    /// - Parameter input: the file that it reads. It is open before this returns, so that the child can't miss its end.
    private static func spawn(_ words: [String], input: String) -> Result<pid_t, SystemError> {
        withSpawnSettings { actions, attributes in
            posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY, 0)
            posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
            // The threads of a task pool block signals. A shell that inherits that waits for its child for ever.
            var noSignals = sigset_t()
            sigemptyset(&noSignals)
            posix_spawnattr_setsigmask(&attributes, &noSignals)
            let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | spawnClosesFiles
            // A server that inherits the pipe of a trial's messages would keep its readers waiting. Closing a descriptor
            // that is already closed is no error here. Where the folder is absent, a flag does it.
            for open in (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? [] {
                if let number = Int32(open), number > 2 { posix_spawn_file_actions_addclose(&actions, number) }
            }
            posix_spawnattr_setflags(&attributes, Int16(truncatingIfNeeded: flags))
            posix_spawnattr_setpgroup(&attributes, 0)
            var texts: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
            defer { for text in texts { free(text) } }
            var number: pid_t = 0
            let status = posix_spawn(&number, "/bin/sh", &actions, &attributes, &texts, environ)
            return status == 0 ? .success(number) : .failure(SystemError(number: status))
        }
    }

    /// Whether the program has ended by itself, or was stopped.
    var hasEnded: Bool {
        state.withLock { state in
            if !state.hasEnded, waitpid(shell, nil, WNOHANG) == shell { state.hasEnded = true }
            return state.hasEnded
        }
    }

    /// Kills the program at once, and waits a few milliseconds until it has ended. A cache server has nothing to save.
    func stop() {
        state.withLock { state in
            if state.lifeline >= 0 { close(state.lifeline) }
            state.lifeline = -1
            // The shell kills the program and reaps it, so that no zombie process is left.
            var roundsLeft = 1_000
            while !state.hasEnded {
                let ended = waitpid(shell, nil, WNOHANG)
                if ended == shell || (ended < 0 && errno != EINTR) {
                    state.hasEnded = true
                } else {
                    // Two seconds are longer than it takes, unless the shell itself was stopped.
                    if roundsLeft == 0 { kill(-shell, SIGKILL) }
                    roundsLeft -= 1
                    usleep(2_000)
                }
            }
        }
    }

    /// Closes our end of the pipe, as the system does when this process is killed. For tests.
    func letGo() {
        state.withLock { state in
            if state.lifeline >= 0 { close(state.lifeline) }
            state.lifeline = -1
        }
    }

    private static func text(of number: Int32) -> String { String(cString: strerror(number)) }
}
