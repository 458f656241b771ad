"""What a file may include and call: the tables of ARCHITECTURE.md as data. No code here."""

# Headers of libc, which every file may include.
LIBC = {"assert.h", "ctype.h", "dirent.h", "dlfcn.h", "elf.h", "endian.h", "errno.h", "execinfo.h",
        "fcntl.h", "gnu/", "inttypes.h", "limits.h", "link.h", "linux/", "locale.h", "math.h",
        "poll.h", "pthread.h", "sched.h", "semaphore.h", "setjmp.h", "signal.h", "spawn.h",
        "stdarg.h", "stdatomic.h", "stdbool.h", "stddef.h", "stdint.h", "stdio.h", "stdlib.h",
        "stdnoreturn.h", "string.h", "strings.h", "sys/", "termios.h", "threads.h", "time.h",
        "ucontext.h", "unistd.h", "unwind.h", "wait.h"}

# What the files of a folder may include besides its own headers, as "quoted" and <angled> names.
# A name that ends with / stands for all below it. A longer key holds for the files whose names
# begin with it, in addition to their folder's; only ckpt/agent has nothing of its folder's.
INCLUDES = {
    "common": {"quoted": {"mpi_calls.h"}, "angled": set()},
    "shim": {"quoted": {"ckpt/agent.h", "ckpt/agent_journal.h", "ckpt/agent_rewind.h",
                        "ckpt/agent_page_scan.h", "ckpt/agent_map_query.h", "ckpt/agent_state.h",
                        "ckpt/agent_marks.h", "ckpt/agent_failure.h", "ckpt/agent_disk.h",
                        "common/", "mpi_calls.h",
                        "mpi_functions.h"},
             "angled": {"mpi.h"}},
    "ckpt/agent": {"quoted": set(), "angled": set()},
    "ckpt": {"quoted": {"explorer/position.h"}, "angled": {"glib.h", "gio/", "glib/"}},
    "explorer": {"quoted": {"common/"}, "angled": {"glib.h"}},
    "scheduler": {"quoted": {"common/", "mpi_calls.h", "explorer/", "ckpt/"},
                  "angled": {"glib.h", "glib/", "glib-unix.h", "gio/"}},
    "scheduler/commands": {"quoted": {"reports/"}, "angled": set()},
    "scheduler/dap": {"quoted": set(), "angled": {"json-glib/"}},
    "scheduler/gdb": {"quoted": set(), "angled": {"json-glib/"}},
    "scheduler/debug": {"quoted": {"reports/words.h", "reports/colours.h"}, "angled": {"uv.h"}},
    "scheduler/page": {"quoted": {"reports/live_page.h"}, "angled": {"uv.h"}},
    "scheduler/page/page_server": {"quoted": set(),
                                   "angled": {"libwebsockets.h", "arpa/", "netinet/"}},
    "scheduler/debug/line_editor": {"quoted": set(), "angled": {"readline/"}},
    "scheduler/host": {"quoted": set(), "angled": {"uv.h", "libelf.h", "gelf.h"}},
    "scheduler/host/cluster": {"quoted": set(), "angled": {"netinet/"}},
    "scheduler/host/frames": {"quoted": set(), "angled": {"netinet/"}},
    "scheduler/host/outpost_link": {"quoted": set(), "angled": {"netdb.h"}},
    "scheduler/backwards/server": {"quoted": set(), "angled": {"arpa/", "netinet/"}},
    "scheduler/places": {"quoted": set(), "angled": {"elfutils/", "dwarf.h", "libelf.h", "gelf.h"}},
    "scheduler/session": {"quoted": set(), "angled": {"uv.h"}},
    "scheduler/store": {"quoted": set(), "angled": {"sqlite3.h"}},
    "reports": {"quoted": {"scheduler/store/record.h", "scheduler/store/reader.h",
                           "scheduler/store/finding_kind.h",
                           "scheduler/store/choice_coverage.h", "mpi_calls.h"},
                "angled": {"glib.h", "glib/", "gio/", "json-glib/"}},
    "reports/otf2": {"quoted": set(), "angled": {"otf2/"}},
    "examples": {"quoted": set(), "angled": {"mpi.h"}},
}

# The rooms of a folder, from what the user asks for down to what all use. A room may include those
# of the lines below its own, none beside it or above.
ROOMS = {
    "scheduler": [
        {"commands"},
        {"dap"},
        {"reproduce", "debug", "recording"},
        {"page"},
        {"session"},
        {"execution", "verdict"},
        {"liveness"},
        {"snapshot"},
        {"host", "world", "backwards"},
        {"store"},
        {"places"},
        {"tools", "gdb"},
    ],
    "shim": [
        {"lifecycle"},
        {"record"},
        {"calls"},
        {"state"},
        {"request"},
        {"check"},
        {"objects"},
        {"park"},
        {"gate"},
        {"types"},
        {"libc"},
        {"mpi"},
        {"process"},
        {"access"},
    ],
}
# Folders of shim/ that have no headers: the table of MPI calls, and its scripts.
SHIM_SCRIPTS = {"generate"}
# Data that every room may include: what is known of an exploration, and of a thread.
COMMON = {"scheduler/store/record.h", "scheduler/store/finding_kind.h",
          "scheduler/host/thread_view.h"}
# These reach processes, time and files through the host's table alone.
BY_HOST = ["scheduler/execution", "scheduler/liveness", "scheduler/snapshot", "scheduler/verdict"]
ONLY_THESE = {(room, "scheduler/host"):
              {"scheduler/host/host.h", "scheduler/host/thread_view.h",
               "scheduler/host/wrapper.h", "scheduler/host/environment.h"} for room in BY_HOST}

# Files of users and of the program under test, and what these files make for themselves.
OWN_FILES = ["scheduler/debug/debug_break.c", "scheduler/debug/debug_past.c",
             "scheduler/debug/prompt.c", "scheduler/debug/telling.c",
             "scheduler/session/compared_files.c", "scheduler/session/session_machine.c"]
# They start gdb, helpers and decoders, and may end them.
OWN_CHILDREN = ["scheduler/debug/debug_gdb_rank.c", "scheduler/debug/decoder_program.c",
                "scheduler/debug/gdb.c", "scheduler/debug/helper.c"]
# Asks whether the machine allows the call.
OF_ITSELF = ["scheduler/session/session_limits.c"]
OF_THE_HOST = "ranks may be elsewhere: ask their host (scheduler/host/host.h)"
BY_HOST_TOO = ["scheduler/debug", "scheduler/session"]

# What must not be in the code of some folders: pattern, reason, folders; perhaps files that may.
BANNED = [
    (r"\b(strcpy|strcat|sprintf|vsprintf|gets|strtok|alloca|tmpnam|mktemp)\s*\(",
     "unsafe; use the g_ or n form", ["shim", "ckpt", "explorer", "scheduler", "reports"]),
    (r"\b(TODO|FIXME|XXX|HACK)\b", "do it, or open an issue",
     ["shim", "ckpt", "explorer", "scheduler", "reports", "tests", "examples", "packaging"]),
    (r"(?<![\w.>])exit\s*\(", "the shim is a guest: never ends the program but by _exit",
     ["shim", "ckpt"]),
    (r"\b(printf|puts|perror|g_print|g_printerr|g_warning|g_error|g_critical)\s*\(",
     "libraries return errors; only commands print", ["shim", "ckpt", "explorer"]),
    (r"#\s*include\s*<(glib|uv)", "the shim is a guest: libc alone", ["shim"]),
    (r"(?<![\w.>])(kill|waitpid|open|fopen|fork|ptrace|process_vm_readv|readlink|[fl]?stat|"
     r"statvfs|chmod|g_get_monotonic_time|g_dir_open|g_file_\w+|g_l?stat|live_stack)\s*\(",
     "this room takes it from its host (scheduler/host/host.h)", BY_HOST),
    (r"(?<![\w.>])(open|fopen|readlink|[fl]?stat|statvfs|chmod|g_dir_open|g_file_get_contents|"
     r"g_file_read_link|g_l?stat)\s*\(", OF_THE_HOST, BY_HOST_TOO, OWN_FILES),
    (r"(?<![\w.>])(kill|waitpid)\s*\(", OF_THE_HOST, BY_HOST_TOO, OWN_CHILDREN),
    (r"(?<![\w.>])(ptrace|process_vm_\w+|live_stack|child_reaper_(debugger|tracer|parent|is_dead|"
     r"writes))\s*\(", OF_THE_HOST, BY_HOST_TOO, OF_ITSELF),
    (r"\bsleep\s*\(", "nobody waits by the clock", ["ckpt", "explorer", "scheduler", "reports"]),
    (r"\b0x[0-9a-f]{2}(00|40)[0-9a-f]{4}u?\b|>> (26|30)\b[^)]",
     "a handle's bits: ask shim/mpi/abi.h; behind the wire there are codes (common/mpi_codes.h)",
     ["common", "reports", "scheduler", "shim"], ["shim/mpi/abi_mpich.h"]),
]

# The same for texts in quotes: what is in /proc of a process.
BANNED_TEXTS = [(r'"/proc/%', OF_THE_HOST, BY_HOST + BY_HOST_TOO)]

# Headers whose structs are values: messages, records, options, tables of functions. Every user of
# the module has them. A struct that is a module's own state is no such value.
VALUES = {"common/wire.h", "shim/gate/gate.h", "shim/gate/caller.h", "explorer/explorer.h",
          "explorer/path.h",
          "reports/report.h", "reports/words.h", "scheduler/commands/command.h",
          "scheduler/host/environment.h", "scheduler/host/host.h", "scheduler/execution/run.h",
          "scheduler/session/session.h", "scheduler/store/record.h"}
