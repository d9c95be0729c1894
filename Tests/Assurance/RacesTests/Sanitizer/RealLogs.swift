/// Logs that Thread Sanitizer of Swift 6.3 wrote on Linux, shortened, with other paths.
enum RealLogs {
    /// Two threads and the dictionary of a class, in a debug build.
    static let dictionary = #"""
        ==================
        WARNING: ThreadSanitizer: Swift access race (pid=4010)
          Read of size 8 at 0x7208000000f0 by thread T2:
            #0 $s7samples5TableC5valueySiSgSSF /project/Sources/Caches/Table.swift:6:44 (samples+0x105f8f) (BuildId: 722f)
            #1 $s7samples1MV4mainyyYaFZySiYbcfU_ /project/Sources/TrialRunner/Main.swift:31:89 (samples+0x101f35) (BuildId: 722f)
            #2 $s7samples1MV4mainyyYaFZySiYbcfU_TA /<compiler-generated> (samples+0x104c45) (BuildId: 722f)
            #3 $s7samples7threadsyySi_ySiYbctFyyYbcfU_ /project/Sources/TrialRunner/Main.swift:21:40 (samples+0xfebab) (BuildId: 722f)
            #4 $s7samples7threadsyySi_ySiYbctFyyYbcfU_TA /<compiler-generated> (samples+0xfec85) (BuildId: 722f)
            #5 $s10Foundation6ThreadC4mainyyF <null> (libFoundation.so+0x3795f8) (BuildId: bbe2)

          Previous modifying access of Swift variable at 0x7208000000f0 by thread T1:
            #0 $s7samples5TableC6insertyySi_SStF /project/Sources/Caches/Table.swift:7:51 (samples+0x10617e) (BuildId: 722f)
            #1 $s7samples1MV4mainyyYaFZySiYbcfU_ /project/Sources/TrialRunner/Main.swift:31:59 (samples+0x101ede) (BuildId: 722f)
            #2 $s7samples1MV4mainyyYaFZySiYbcfU_TA /<compiler-generated> (samples+0x104c45) (BuildId: 722f)
            #3 $s7samples7threadsyySi_ySiYbctFyyYbcfU_ /project/Sources/TrialRunner/Main.swift:21:40 (samples+0xfebab) (BuildId: 722f)
            #4 $s7samples7threadsyySi_ySiYbctFyyYbcfU_TA /<compiler-generated> (samples+0xfec85) (BuildId: 722f)
            #5 $s10Foundation6ThreadC4mainyyF <null> (libFoundation.so+0x3795f8) (BuildId: bbe2)

          Location is heap block of size 32 at 0x7208000000e0 allocated by main thread:
            #0 malloc /home/build-user/tsan/rtl/tsan_interceptors_posix.cpp:686:5 (samples+0x7b790) (BuildId: 722f)
            #1 swift_slowAlloc <null> (libswiftCore.so+0x46fa6e) (BuildId: b521)
            #2 $s7samples1MV4mainyyYaFZTY0_ /project/Sources/TrialRunner/Main.swift:30:15 (samples+0xff4b1) (BuildId: 722f)
            #3 swift::runJobInEstablishedExecutorContext(swift::Job*) crtstuff.c (libswift_Concurrency.so+0x71e5f) (BuildId: b9f3)
            #4 __libc_start_call_main csu/../sysdeps/nptl/libc_start_call_main.h:58:16 (libc.so.6+0x27249) (BuildId: 93ac)

          Thread T2 'samples' (tid=4014, running) created by main thread at:
            #0 pthread_create /home/build-user/tsan/rtl/tsan_interceptors_posix.cpp:1094:3 (samples+0x7d37a) (BuildId: 722f)
            #1 _CFThreadCreate <null> (libFoundation.so+0x3d79ca) (BuildId: bbe2)
            #2 $s7samples1MV4mainyyYaFZTY0_ /project/Sources/TrialRunner/Main.swift:31:7 (samples+0xff55a) (BuildId: 722f)
            #3 swift::runJobInEstablishedExecutorContext(swift::Job*) crtstuff.c (libswift_Concurrency.so+0x71e5f) (BuildId: b9f3)
            #4 __libc_start_call_main csu/../sysdeps/nptl/libc_start_call_main.h:58:16 (libc.so.6+0x27249) (BuildId: 93ac)

        SUMMARY: ThreadSanitizer: Swift access race /project/Sources/Caches/Table.swift:6:44 in $s7samples5TableC5valueySiSgSSF
        ==================
        ThreadSanitizer: reported 1 warnings

        """#

    /// Tasks and a field of an actor that is `nonisolated(unsafe)`: one race, reported in three forms.
    static let actor = #"""
        ==================
        WARNING: ThreadSanitizer: Swift access race (pid=4922)
          Modifying access of Swift variable at 0x7220000000f0 by thread T3:
            #0 $s7samples7CounterC4hitsSivM /<compiler-generated> (samples+0xfe61c) (BuildId: c993)
            #1 $s7samples7CounterC3hityyF /project/Sources/Caches/Counter.swift (samples+0x106d2f) (BuildId: c993)
            #2 $s7samples1MV4mainyyYaFZyScGyytGzYaXEfU0_yyYacfU_TY0_ /project/Sources/TrialRunner/Main.swift:35:99 (samples+0x102ba8) (BuildId: c993)
            #3 swift::runJobInEstablishedExecutorContext(swift::Job*) crtstuff.c (libswift_Concurrency.so+0x71e5f) (BuildId: b9f3)
            #4 _dispatch_continuation_pop crtstuff.c (libdispatch.so+0x2c087) (BuildId: cb8d)

          Previous write of size 1 at 0x7220000000f0 by thread T1:
            #0 $s7samples7CounterC3hityyF /project/Sources/Caches/Counter.swift:11:33 (samples+0x106d72) (BuildId: c993)
            #1 $s7samples1MV4mainyyYaFZyScGyytGzYaXEfU0_yyYacfU_TY0_ /project/Sources/TrialRunner/Main.swift:35:99 (samples+0x102ba8) (BuildId: c993)
            #2 swift::runJobInEstablishedExecutorContext(swift::Job*) crtstuff.c (libswift_Concurrency.so+0x71e5f) (BuildId: b9f3)
            #3 _dispatch_continuation_pop crtstuff.c (libdispatch.so+0x2c087) (BuildId: cb8d)

        SUMMARY: ThreadSanitizer: Swift access race /<compiler-generated> in $s7samples7CounterC4hitsSivM
        ==================
        ==================
        WARNING: ThreadSanitizer: Swift access race (pid=4922)
          Modifying access of Swift variable at 0x7220000000f0 by thread T1:
            #0 $s7samples7CounterC3hityyF /project/Sources/Caches/Counter.swift (samples+0x106d4b) (BuildId: c993)
            #1 $s7samples1MV4mainyyYaFZyScGyytGzYaXEfU0_yyYacfU_TY0_ /project/Sources/TrialRunner/Main.swift:35:99 (samples+0x102ba8) (BuildId: c993)
            #2 swift::runJobInEstablishedExecutorContext(swift::Job*) crtstuff.c (libswift_Concurrency.so+0x71e5f) (BuildId: b9f3)
            #3 _dispatch_continuation_pop crtstuff.c (libdispatch.so+0x2c087) (BuildId: cb8d)

          Previous write of size 1 at 0x7220000000f0 by thread T3:
            #0 $s7samples7CounterC3hityyF /project/Sources/Caches/Counter.swift:11:33 (samples+0x106d72) (BuildId: c993)
            #1 $s7samples1MV4mainyyYaFZyScGyytGzYaXEfU0_yyYacfU_TY0_ /project/Sources/TrialRunner/Main.swift:35:99 (samples+0x102ba8) (BuildId: c993)
            #2 swift::runJobInEstablishedExecutorContext(swift::Job*) crtstuff.c (libswift_Concurrency.so+0x71e5f) (BuildId: b9f3)
            #3 _dispatch_continuation_pop crtstuff.c (libdispatch.so+0x2c087) (BuildId: cb8d)

        SUMMARY: ThreadSanitizer: Swift access race /project/Sources/Caches/Counter.swift in $s7samples7CounterC3hityyF
        ==================
        ==================
        WARNING: ThreadSanitizer: data race (pid=4922)
          Write of size 8 at 0x7220000000f0 by thread T1:
            #0 $s7samples7CounterC3hityyF /project/Sources/Caches/Counter.swift:11:33 (samples+0x106d72) (BuildId: c993)
            #1 $s7samples1MV4mainyyYaFZyScGyytGzYaXEfU0_yyYacfU_TY0_ /project/Sources/TrialRunner/Main.swift:35:99 (samples+0x102ba8) (BuildId: c993)
            #2 swift::runJobInEstablishedExecutorContext(swift::Job*) crtstuff.c (libswift_Concurrency.so+0x71e5f) (BuildId: b9f3)
            #3 _dispatch_continuation_pop crtstuff.c (libdispatch.so+0x2c087) (BuildId: cb8d)

          Previous write of size 1 at 0x7220000000f0 by thread T3:
            #0 $s7samples7CounterC3hityyF /project/Sources/Caches/Counter.swift:11:33 (samples+0x106d72) (BuildId: c993)
            #1 $s7samples1MV4mainyyYaFZyScGyytGzYaXEfU0_yyYacfU_TY2_ /project/Sources/TrialRunner/Main.swift:35:99 (samples+0x102ee2) (BuildId: c993)
            #2 swift::runJobInEstablishedExecutorContext(swift::Job*) crtstuff.c (libswift_Concurrency.so+0x71e5f) (BuildId: b9f3)
            #3 _dispatch_continuation_pop crtstuff.c (libdispatch.so+0x2c087) (BuildId: cb8d)

        SUMMARY: ThreadSanitizer: data race /project/Sources/Caches/Counter.swift:11:33 in $s7samples7CounterC3hityyF
        ==================

        """#

    /// A race, and then a trap: the process ends with an illegal instruction, which the runtime does not report.
    static let trap = #"""
        ==================
        WARNING: ThreadSanitizer: Swift access race (pid=4980)
          Modifying access of Swift variable at 0x7208000000f8 by thread T2:
            #0 $s7samples1MV4mainyyYaFZySiYbcfU5_ /project/Sources/TrialRunner/Main.swift (samples+0x1043cf) (BuildId: c993)
            #1 $s7samples1MV4mainyyYaFZySiYbcfU5_TA /<compiler-generated> (samples+0x105265) (BuildId: c993)
            #2 $s7samples7threadsyySi_ySiYbctFyyYbcfU_ /project/Sources/TrialRunner/Main.swift:22:40 (samples+0xfec1b) (BuildId: c993)
            #3 $s7samples7threadsyySi_ySiYbctFyyYbcfU_TA /<compiler-generated> (samples+0xfecf5) (BuildId: c993)
            #4 $s10Foundation6ThreadC4mainyyF <null> (libFoundation.so+0x3795f8) (BuildId: bbe2)

          Previous write of size 1 at 0x7208000000f8 by thread T1:
            #0 $s7samples1MV4mainyyYaFZySiYbcfU5_ /project/Sources/TrialRunner/Main.swift:59:53 (samples+0x104400) (BuildId: c993)
            #1 $s7samples1MV4mainyyYaFZySiYbcfU5_TA /<compiler-generated> (samples+0x105265) (BuildId: c993)
            #2 $s7samples7threadsyySi_ySiYbctFyyYbcfU_ /project/Sources/TrialRunner/Main.swift:22:40 (samples+0xfec1b) (BuildId: c993)
            #3 $s7samples7threadsyySi_ySiYbctFyyYbcfU_TA /<compiler-generated> (samples+0xfecf5) (BuildId: c993)
            #4 $s10Foundation6ThreadC4mainyyF <null> (libFoundation.so+0x3795f8) (BuildId: bbe2)

        SUMMARY: ThreadSanitizer: Swift access race /project/Sources/TrialRunner/Main.swift in $s7samples1MV4mainyyYaFZySiYbcfU5_
        ==================

        """#

    /// A race, and then a write to address 8.
    static let segv = #"""
        ==================
        WARNING: ThreadSanitizer: Swift access race (pid=4163)
          Modifying access of Swift variable at 0x7208000000f8 by thread T1:
            #0 $s7samples1MV4mainyyYaFZySiYbcfU6_ /project/Sources/TrialRunner/Main.swift (samples+0x103e2f) (BuildId: 722f)
            #1 $s7samples1MV4mainyyYaFZySiYbcfU6_TA /<compiler-generated> (samples+0x104855) (BuildId: 722f)
            #2 $s7samples7threadsyySi_ySiYbctFyyYbcfU_ /project/Sources/TrialRunner/Main.swift:21:40 (samples+0xfebab) (BuildId: 722f)
            #3 $s7samples7threadsyySi_ySiYbctFyyYbcfU_TA /<compiler-generated> (samples+0xfec85) (BuildId: 722f)
            #4 $s10Foundation6ThreadC4mainyyF <null> (libFoundation.so+0x3795f8) (BuildId: bbe2)

          Previous write of size 1 at 0x7208000000f8 by thread T2:
            #0 $s7samples1MV4mainyyYaFZySiYbcfU6_ /project/Sources/TrialRunner/Main.swift:60:53 (samples+0x103e60) (BuildId: 722f)
            #1 $s7samples1MV4mainyyYaFZySiYbcfU6_TA /<compiler-generated> (samples+0x104855) (BuildId: 722f)
            #2 $s7samples7threadsyySi_ySiYbctFyyYbcfU_ /project/Sources/TrialRunner/Main.swift:21:40 (samples+0xfebab) (BuildId: 722f)
            #3 $s7samples7threadsyySi_ySiYbctFyyYbcfU_TA /<compiler-generated> (samples+0xfec85) (BuildId: 722f)
            #4 $s10Foundation6ThreadC4mainyyF <null> (libFoundation.so+0x3795f8) (BuildId: bbe2)

        SUMMARY: ThreadSanitizer: Swift access race /project/Sources/TrialRunner/Main.swift in $s7samples1MV4mainyyYaFZySiYbcfU6_
        ==================
        ==4163==ERROR: ThreadSanitizer: SEGV on unknown address 0x000000000008 (pc 0x5636c78ee86b bp 0x7ffd71985b00 sp 0x7ffd719852a0 T4163)
        ==4163==The signal is caused by a WRITE memory access.
        ==4163==Hint: address points to the zero page.
            #0 $s7samples1MV4mainyyYaFZTY0_ /project/Sources/TrialRunner/Main.swift:61:57 (samples+0x10086b) (BuildId: 722f)
            #1 swift::runJobInEstablishedExecutorContext(swift::Job*) crtstuff.c (libswift_Concurrency.so+0x71e5f) (BuildId: b9f3)
            #2 swift_job_run <null> (libswift_Concurrency.so+0x72b14) (BuildId: b9f3)
            #3 main /project/Sources/TrialRunner/Main.swift (samples+0x10702a) (BuildId: 722f)
            #4 __libc_start_call_main csu/../sysdeps/nptl/libc_start_call_main.h:58:16 (libc.so.6+0x27249) (BuildId: 93ac)
            #5 __libc_start_main csu/../csu/libc-start.c:360:3 (libc.so.6+0x27304) (BuildId: 93ac)
            #6 _start <null> (samples+0x4aec0) (BuildId: 722f)

        ==4163==Register values:
        ThreadSanitizer can not provide additional info.
        SUMMARY: ThreadSanitizer: SEGV /project/Sources/TrialRunner/Main.swift:61:57 in $s7samples1MV4mainyyYaFZTY0_
        ==4163==ABORTING

        """#

    /// A thread that was never joined.
    static let leak = #"""
        ==================
        WARNING: ThreadSanitizer: thread leak (pid=4181)
          Thread T1 (tid=4183, finished) created by main thread at:
            #0 pthread_create /home/build-user/tsan/rtl/tsan_interceptors_posix.cpp:1094:3 (samples+0x7d37a) (BuildId: 722f)
            #1 $s7samples1MV4mainyyYaFZTY0_ /project/Sources/TrialRunner/Main.swift:64:7 (samples+0x100a4f) (BuildId: 722f)
            #2 swift::runJobInEstablishedExecutorContext(swift::Job*) crtstuff.c (libswift_Concurrency.so+0x71e5f) (BuildId: b9f3)
            #3 __libc_start_call_main csu/../sysdeps/nptl/libc_start_call_main.h:58:16 (libc.so.6+0x27249) (BuildId: 93ac)

        SUMMARY: ThreadSanitizer: thread leak /project/Sources/TrialRunner/Main.swift:64:7 in $s7samples1MV4mainyyYaFZTY0_
        ==================
        ThreadSanitizer: reported 1 warnings

        """#

    /// One thread frees memory that another one writes to.
    static let useAfterFree = #"""
        ==================
        WARNING: ThreadSanitizer: heap-use-after-free (pid=6816)
          Write of size 8 at 0x721000000080 by thread T2:
            #0 $s4main3hityySpySiGF /project/Sources/Caches/Buffer.swift:2:69 (uaf-Onone+0xfcf91) (BuildId: 567e)
            #1 $s4main1MVAAyyFZyyYbcfU_ /project/Sources/TrialRunner/Main.swift:9:86 (uaf-Onone+0xfcdf3) (BuildId: 567e)
            #2 $s4main1MVAAyyFZyyYbcfU_TA /<compiler-generated> (uaf-Onone+0xfced1) (BuildId: 567e)
            #3 $s10Foundation6ThreadC4mainyyF <null> (libFoundation.so+0x3795f8) (BuildId: bbe2)

          Previous write of size 8 at 0x721000000080 by thread T1:
            #0 free /home/build-user/tsan/rtl/tsan_interceptors_posix.cpp:751:3 (uaf-Onone+0x3dfda) (BuildId: 567e)
            #1 $s4main1MVAAyyFZyyYbcfU_ /project/Sources/TrialRunner/Main.swift:9:52 (uaf-Onone+0xfcd88) (BuildId: 567e)
            #2 $s4main1MVAAyyFZyyYbcfU_TA /<compiler-generated> (uaf-Onone+0xfced1) (BuildId: 567e)
            #3 $s10Foundation6ThreadC4mainyyF <null> (libFoundation.so+0x3795f8) (BuildId: bbe2)

          Thread T2 'uaf-Onone' (tid=6819, running) created by main thread at:
            #0 pthread_create /home/build-user/tsan/rtl/tsan_interceptors_posix.cpp:1094:3 (uaf-Onone+0x7bbca) (BuildId: 567e)
            #1 _CFThreadCreate <null> (libFoundation.so+0x3d79ca) (BuildId: bbe2)
            #2 $s4main1MV5$mainyyFZ /<compiler-generated> (uaf-Onone+0xfcf15) (BuildId: 567e)
            #3 main /project/Sources/TrialRunner/Main.swift (uaf-Onone+0xfd6e5) (BuildId: 567e)

        SUMMARY: ThreadSanitizer: heap-use-after-free /project/Sources/Caches/Buffer.swift:2:69 in $s4main3hityySpySiGF
        ==================
        ThreadSanitizer: reported 1 warnings

        """#

    /// The same, all in one thread.
    static let useAfterFreeInOneThread = #"""
        ==================
        WARNING: ThreadSanitizer: heap-use-after-free (pid=6826)
          Write of size 8 at 0x721000000080 by main thread:
            #0 $s4main3hityySpySiGF /project/Sources/Caches/Buffer.swift:2:69 (uaf-Onone+0xfcf91) (BuildId: 567e)
            #1 $s4main1MVAAyyFZ /project/Sources/TrialRunner/Main.swift:8:58 (uaf-Onone+0xfd438) (BuildId: 567e)
            #2 $s4main1MV5$mainyyFZ /<compiler-generated> (uaf-Onone+0xfcf15) (BuildId: 567e)
            #3 main /project/Sources/TrialRunner/Main.swift (uaf-Onone+0xfd6e5) (BuildId: 567e)

          Previous write of size 8 at 0x721000000080 by main thread:
            #0 free /home/build-user/tsan/rtl/tsan_interceptors_posix.cpp:751:3 (uaf-Onone+0x3dfda) (BuildId: 567e)
            #1 $s4main1MVAAyyFZ /project/Sources/TrialRunner/Main.swift:8:47 (uaf-Onone+0xfd3d2) (BuildId: 567e)
            #2 $s4main1MV5$mainyyFZ /<compiler-generated> (uaf-Onone+0xfcf15) (BuildId: 567e)
            #3 main /project/Sources/TrialRunner/Main.swift (uaf-Onone+0xfd6e5) (BuildId: 567e)

        SUMMARY: ThreadSanitizer: heap-use-after-free /project/Sources/Caches/Buffer.swift:2:69 in $s4main3hityySpySiGF
        ==================
        ThreadSanitizer: reported 1 warnings

        """#
}
