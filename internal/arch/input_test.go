package arch

// inputPackage is the package that reads input from outside.
const inputPackage = "internal/input"

// opens are the functions that open or read a file by name, or that read without a limit.
var opens = []string{
	"os.Open", "os.OpenFile", "os.ReadFile", "os.OpenRoot", "os.DirFS", "io/ioutil.ReadFile", "syscall.Open",
	"golang.org/x/sys/unix.Open",
	"debug/buildinfo.ReadFile", "debug/elf.Open", "debug/macho.Open", "io.ReadAll", "io/ioutil.ReadAll",
}

// openers are the files outside internal/input that may open files, each with the reason. The user does not choose the
// names of these files.
var openers = map[string]string{
	"catalog/words/bounds.go":                   "its trials measure reading; a check permits only regular files",
	"catalog/words/bytewise.go":                 "the same",
	"catalog/words/chunks.go":                   "the same",
	"catalog/words/input.go":                    "the same",
	"catalog/words/mmap.go":                     "the same",
	"catalog/find/files.go":                     "its trials measure reading files that it wrote",
	"catalog/find/cold_linux.go":                "the same",
	"catalog/journal/disk.go":                   "logs in a directory that it created",
	"catalog/journal/mapped_unix.go":            "the same",
	"internal/command/files.go":                 "executables and an input, all regular files",
	"evidence/collect/process.go":               "the copy of standard input that it made",
	"evidence/collect/process_linux.go":         "/proc of a child process",
	"evidence/collect/endpointhttp.go":          "the first 200 bytes of an answer, before a deadline",
	"internal/gobench/build.go":                 "the binary that it built",
	"internal/gopprof/gopprof.go":               "bytes in memory, up to a limit",
	"internal/starter/modulecache.go":           "the checksum of this program's module",
	"internal/starter/starter.go":               "the source of this program",
	"internal/host/build.go":                    "the executable of this program",
	"internal/host/counters_linux.go":           "counters of the kernel",
	"internal/host/examine_linux.go":            "/proc and /sys of the machine",
	"internal/host/system_linux.go":             "the same",
	"internal/lock/lock_other.go":               "lock files, opened for writing, which does not block",
	"internal/lock/lock_unix.go":                "the same",
	"internal/proc/record_linux.go":             "/proc of processes, and a small file that it wrote",
	"internal/proc/keeper.go":                   "the null device",
	"endpoint/serverowner_linux.go":             "/proc of sockets and processes",
	"tools/corenlp/fetch.go":                    "a partial file that it wrote",
	"proof/robustness/command.go":               "/proc of processes",
	"proof/robustness/journal.go":               "journals that it made, to damage them",
	"proof/robustness/interrupts.go":            "the signals that a process handles, from /proc",
	"proof/robustness/names.go":                 "a timeline that a command under attack wrote",
	"proof/services/awake.go":                   "the kernel's limit of wake-up latencies, which it writes",
	"proof/record/record.go":                    "the record of a campaign that it wrote, and the program under test",
	"env/virtual/internal/self/asleep_linux.go": "/proc of this process",
	"tools/release/main.go":                     "files of the release, which are in the repository or were just built",
	"tools/release/build.go":                    "the program that it built",
	"proof/binarysize/main.go":                  "the binary that make built, whose size it reports",
	"workload/source/source.go":                 "the sources of this program, if they still exist",
	"internal/store/dir.go":                     "the run directory itself, to sync it",
	"internal/store/openrun.go":                 "the journal, for writing",
	"proof/findings/campaign/label.go":          "the labels of the corpus, which are in the repository",
	"proof/findings/campaign/collect.go":        "the evidence of a campaign that it wrote",
	"trial/child.go":                            "the null device",
}
