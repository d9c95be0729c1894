import Dispatch

/// Detects whether code runs on the main queue. That need not be the main thread: once the program's main function
/// waits, any thread may serve the queue on Linux.
enum MainQueue {
    private static let key: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) ?? false }
}
