/* SPDX-License-Identifier: BSD-2-Clause
 *
 * The one table of event types: number, name, fields. From the chapter "Eventlog encodings" of the
 * GHC user's guide and the run-time system's EventLogFormat.h; Eden's (60 to 69) and Mercury's (100
 * to 113), which write logs of this format too, from the library ghc-events; and our own, from
 * 1000.
 *
 * A log's own header says how long each record is; this table only says what the bytes mean. Fields
 * are in the order of the record, as NAME:KIND, separated by blanks. Kinds:
 *
 *   1 2 4 8   unsigned big-endian number of 1, 2, 4 or 8 bytes
 *   s         text up to a NUL
 *   t         text up to the end of the record, or to the numbers after it
 *   v         texts, each ended by a NUL, up to the end of the record
 *   k         cost-centre stack: one byte with its depth, then as many 4-byte numbers, innermost
 * first b         bytes up to the end of the record
 *
 * Where an early version of GHC wrote fewer fields, the record ends before the later ones; what
 * follows the last field is of a later version and is left alone. A number that meant different
 * things at different times has several rows: the first one of the declared length counts, else the
 * first.
 */
#ifndef HPFILE_EVENTLOG_TAGS_H
#define HPFILE_EVENTLOG_TAGS_H

/* X(number, NAME, fields) */
#define HPF__EVENTS(X)                                                                             \
    X(0, CREATE_THREAD, "thread:4")                                                                \
    X(1, RUN_THREAD, "thread:4")                                                                   \
    X(2, STOP_THREAD, "thread:4 status:2 blocked_on:4")                                            \
    X(3, THREAD_RUNNABLE, "thread:4")                                                              \
    X(4, MIGRATE_THREAD, "thread:4 new_cap:2")                                                     \
    X(5, RUN_SPARK, "thread:4")                                                                    \
    X(6, STEAL_SPARK, "thread:4 victim_cap:2")                                                     \
    X(7, SHUTDOWN, "")                                                                             \
    X(8, THREAD_WAKEUP, "thread:4 other_cap:2")                                                    \
    X(9, GC_START, "")                                                                             \
    X(10, GC_END, "")                                                                              \
    X(11, REQUEST_SEQ_GC, "")                                                                      \
    X(12, REQUEST_PAR_GC, "")                                                                      \
    X(13, CREATE_SPARK, "thread:4")                                                                \
    X(14, SPARK_TO_THREAD, "thread:4 spark_thread:4")                                              \
    X(15, CREATE_SPARK_THREAD, "spark_thread:4")                                                   \
    X(16, LOG_MSG, "message:t")                                                                    \
    X(17, STARTUP, "n_caps:2")                                                                     \
    X(18, BLOCK_MARKER, "block_bytes:4 end_ns:8 cap:2")                                            \
    X(19, USER_MSG, "message:t")                                                                   \
    X(20, GC_IDLE, "")                                                                             \
    X(21, GC_WORK, "")                                                                             \
    X(22, GC_DONE, "")                                                                             \
    X(23, VERSION, "version:t")                                                                    \
    X(24, PROGRAM_INVOCATION, "command:t")                                                         \
    X(25, CAPSET_CREATE, "capset:4 type:2")                                                        \
    X(26, CAPSET_DELETE, "capset:4")                                                               \
    X(27, CAPSET_ASSIGN_CAP, "capset:4 cap:2")                                                     \
    X(28, CAPSET_REMOVE_CAP, "capset:4 cap:2")                                                     \
    X(29, RTS_IDENTIFIER, "capset:4 name:t")                                                       \
    X(30, PROGRAM_ARGS, "capset:4 args:v")                                                         \
    X(31, PROGRAM_ENV, "capset:4 env:v")                                                           \
    X(32, OSPROCESS_PID, "capset:4 pid:4")                                                         \
    X(33, OSPROCESS_PPID, "capset:4 parent_pid:4")                                                 \
    X(34, SPARK_COUNTERS,                                                                          \
      "created:8 dud:8 overflowed:8 converted:8 collected:8 fizzled:8 remaining:8")                \
    X(35, SPARK_CREATE, "")                                                                        \
    X(36, SPARK_DUD, "")                                                                           \
    X(37, SPARK_OVERFLOW, "")                                                                      \
    X(38, SPARK_RUN, "")                                                                           \
    X(39, SPARK_STEAL, "victim_cap:2")                                                             \
    X(40, SPARK_FIZZLE, "")                                                                        \
    X(41, SPARK_GC, "")                                                                            \
    X(42, INTERN_STRING, "string:t id:4")                                                          \
    X(43, WALL_CLOCK_TIME, "capset:4 unix_s:8 ns:4")                                               \
    X(44, THREAD_LABEL, "thread:4 label:t")                                                        \
    X(45, CAP_CREATE, "cap:2")                                                                     \
    X(46, CAP_DELETE, "cap:2")                                                                     \
    X(47, CAP_DISABLE, "cap:2")                                                                    \
    X(48, CAP_ENABLE, "cap:2")                                                                     \
    X(49, HEAP_ALLOCATED, "capset:4 allocated_bytes:8")                                            \
    X(50, HEAP_SIZE, "capset:4 size_bytes:8")                                                      \
    X(51, HEAP_LIVE, "capset:4 live_bytes:8")                                                      \
    X(52, HEAP_INFO_GHC,                                                                           \
      "capset:4 n_generations:2 max_heap_bytes:8 alloc_area_bytes:8 mblock_bytes:8 block_bytes:8") \
    X(53, GC_STATS_GHC,                                                                            \
      "capset:4 generation:2 copied_bytes:8 slop_bytes:8 fragmentation_bytes:8 n_threads:4 "       \
      "max_copied_bytes:8 total_copied_bytes:8 balanced_copied_bytes:8")                           \
    X(54, GC_GLOBAL_SYNC, "")                                                                      \
    X(55, TASK_CREATE, "task:8 cap:2 kernel_thread:8")                                             \
    X(56, TASK_MIGRATE, "task:8 cap:2 new_cap:2")                                                  \
    X(57, TASK_DELETE, "task:8")                                                                   \
    X(58, USER_MARKER, "marker:t")                                                                 \
    X(59, HACK_BUG_T9003, "")                                                                      \
    X(60, EDEN_START_RECEIVE, "")                                                                  \
    X(61, EDEN_END_RECEIVE, "")                                                                    \
    X(62, CREATE_PROCESS, "process:4")                                                             \
    X(63, KILL_PROCESS, "process:4")                                                               \
    X(64, ASSIGN_THREAD_TO_PROCESS, "thread:4 process:4")                                          \
    X(65, CREATE_MACHINE, "machine:2 started:8")                                                   \
    X(66, KILL_MACHINE, "machine:2")                                                               \
    X(67, SEND_MESSAGE, "tag:1 process:4 thread:4 to_machine:2 to_process:4 to_inport:4")          \
    X(68, RECEIVE_MESSAGE,                                                                         \
      "tag:1 process:4 inport:4 from_machine:2 from_process:4 from_thread:4 bytes:4")              \
    X(69, SEND_RECEIVE_LOCAL_MESSAGE, "tag:1 process:4 thread:4 to_process:4 to_inport:4")         \
    X(90, MEM_RETURN, "capset:4 current_mblocks:4 needed_mblocks:4 returned_mblocks:4")            \
    X(91, BLOCKS_SIZE, "capset:4 size_bytes:8")                                                    \
    X(100, MER_START_PAR_CONJUNCTION, "conjunction:8 name:4")                                      \
    X(101, MER_STOP_PAR_CONJUNCTION, "conjunction:8")                                              \
    X(102, MER_STOP_PAR_CONJUNCT, "conjunction:8")                                                 \
    X(103, MER_CREATE_SPARK, "conjunction:8 spark:4")                                              \
    X(104, MER_FUT_CREATE, "future:8 name:4")                                                      \
    X(105, MER_FUT_WAIT_NOSUSPEND, "future:8")                                                     \
    X(106, MER_FUT_WAIT_SUSPENDED, "future:8")                                                     \
    X(107, MER_FUT_SIGNAL, "future:8")                                                             \
    X(108, MER_LOOKING_FOR_GLOBAL_CONTEXT, "")                                                     \
    X(109, MER_WORK_STEALING, "")                                                                  \
    X(110, MER_RELEASE_CONTEXT, "context:4")                                                       \
    X(111, MER_ENGINE_SLEEPING, "")                                                                \
    X(112, MER_LOOKING_FOR_LOCAL_SPARK, "")                                                        \
    X(113, MER_CALLING_MAIN, "")                                                                   \
    X(140, PERF_NAME, "perf:4 name:t")                                                             \
    X(141, PERF_COUNTER, "perf:4 kernel_thread:8 count:8")                                         \
    X(142, PERF_TRACEPOINT, "perf:4 kernel_thread:8")                                              \
    X(160, HEAP_PROF_BEGIN,                                                                        \
      "profile:1 period_ns:8 breakdown:4 module:s closure_descr:s type_descr:s cost_centre:s "     \
      "cost_centre_stack:s retainer:s biography:s")                                                \
    X(161, HEAP_PROF_COST_CENTRE, "cost_centre:4 label:s module:s source:s flags:1")               \
    X(162, HEAP_PROF_SAMPLE_BEGIN, "sample:8")                                                     \
    X(163, HEAP_PROF_SAMPLE_COST_CENTRE, "profile:1 bytes:8 stack:k")                              \
    X(164, HEAP_PROF_SAMPLE_STRING, "profile:1 bytes:8 label:s")                                   \
    X(165, HEAP_PROF_SAMPLE_END, "sample:8")                                                       \
    X(166, HEAP_BIO_PROF_SAMPLE_BEGIN, "sample:8 taken_ns:8")                                      \
    X(167, PROF_SAMPLE_COST_CENTRE, "cap:4 tick:8 stack:k")                                        \
    X(168, PROF_BEGIN, "tick_ns:8")                                                                \
    X(169, IPE, "info:8 table:s closure_type:s type:s label:s module:s source:s")                  \
    X(181, USER_BINARY_MSG, "bytes:b")                                                             \
    X(200, CONC_MARK_BEGIN, "")                                                                    \
    X(201, CONC_MARK_END, "n_marked:4")                                                            \
    X(202, CONC_SYNC_BEGIN, "")                                                                    \
    X(203, CONC_SYNC_END, "")                                                                      \
    X(204, CONC_SWEEP_BEGIN, "")                                                                   \
    X(205, CONC_SWEEP_END, "")                                                                     \
    X(206, CONC_UPD_REM_SET_FLUSH, "cap:2")                                                        \
    X(207, NONMOVING_HEAP_CENSUS, "block_bytes:2 n_active:4 n_filled:4 n_live_blocks:4")           \
    X(207, NONMOVING_HEAP_CENSUS_8, "log2_block:1 n_active:4 n_filled:4 n_live_blocks:4")          \
    X(208, NONMOVING_PRUNED_SEGMENTS, "n_pruned:4 n_free:4")                                       \
    X(210, TICKY_COUNTER_DEF, "counter:8 arity:2 kinds:s name:s info:8 description:s")             \
    X(211, TICKY_COUNTER_SAMPLE, "counter:8 entries:8 allocs:8 allocd:8")                          \
    X(212, TICKY_COUNTER_BEGIN_SAMPLE, "")                                                         \
    X(1000, HEAP_PROF_SAMPLE_CHANGES, "profile:1 changes:b")                                       \
    X(1001, HEAP_PROF_STACK_TOTALS,                                                                \
      "profile:1 allocated_bytes:8 peak_bytes:8 peak_blocks:8 stack:k")                            \
    X(1002, HEAP_PROF_STACK_TOTALS_CHANGES, "profile:1 changes:b")                                 \
    X(1003, HEAP_PROF_CALL, "cost_centre:4 function:4")                                            \
    X(1004, HEAP_PROF_RATE, "profile:1 bytes:8")                                                   \
    X(1005, HEAP_PROF_RESIDENT, "rows:b")                                                          \
    X(1006, HEAP_PROF_WASTE, "live_bytes:8 rows:b")                                                \
    X(1007, HEAP_PROF_WATCH, "profile:1 bytes:8")                                                  \
    X(1008, HEAP_PROF_GENERATIONS, "rows:b")

typedef enum hpf__event {
#define HPF__EVENT_CONSTANT(number, name, fields) HPF__EVENT_##name = (number),
    HPF__EVENTS(HPF__EVENT_CONSTANT)
#undef HPF__EVENT_CONSTANT
} hpf__event;

/* The set of capabilities of a HEAP_SIZE that is the size of the whole process. */
enum { HPF__SET_OF_PROCESS = 1 };

/* Flags of a HEAP_PROF_COST_CENTRE. GHC sets more bits of a CAF than this one. The other numbers
 * are ours, and have no other bits: the cost centre is not a function, but says what else is known
 * of the objects that a stack allocated: what the break-down of the profile says, or a further one.
 */
enum {
    HPF__CENTRE_IS_CAF = 1,
    HPF__CENTRE_IS_BAND = 4,
    HPF__CENTRE_IS_TYPE = 8,
    HPF__CENTRE_IS_RETAINER_SET = 12,
    HPF__CENTRE_IS_PHASE = 16
};

#endif
