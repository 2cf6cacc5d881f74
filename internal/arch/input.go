package arch

// inputRoom is the package that reads what comes from outside.
const inputRoom = "internal/input"

// opens are the calls that open or read a file by its name, or read until an end that may never come.
var opens = []string{
	"os.Open", "os.OpenFile", "os.ReadFile", "os.OpenRoot", "os.DirFS", "io/ioutil.ReadFile", "syscall.Open",
	"golang.org/x/sys/unix.Open",
	"debug/buildinfo.ReadFile", "debug/elf.Open", "debug/macho.Open", "io.ReadAll", "io/ioutil.ReadAll",
}

// openers are the files beside internal/input that may open files, each with the reason: what they open nobody else
// names.
var openers = map[string]string{
	"catalog/words/bounds.go": "its trials measure reading; the flag's check refuses what " +
		"is no regular file",
	"catalog/words/bytewise.go":         "the same",
	"catalog/words/chunks.go":           "the same",
	"catalog/words/input.go":            "the same",
	"catalog/words/mmap.go":             "the same",
	"catalog/find/files.go":             "its trials measure reading, of files that it wrote",
	"catalog/find/cold_linux.go":        "the same",
	"evidence/collect/process.go":       "the copy of standard input, which it made itself",
	"evidence/collect/process_linux.go": "what the kernel tells of a child",
	"evidence/collect/endpoint.go":      "the first 200 bytes of an answer, before a deadline",
	"proof/simspeed/scale.go":           "what the kernel tells of this process",
	"internal/gobench/build.go":         "the binary that it has just built",
	"internal/gopprof/gopprof.go":       "bytes in memory, up to a limit",
	"internal/host/build.go":            "this program's own file",
	"internal/host/counters_linux.go":   "what the kernel counts",
	"internal/host/examine_linux.go":    "what the kernel tells of the machine",
	"internal/host/system_linux.go":     "the same",
	"internal/lock/lock_other.go":       "lock files, opened for writing, which waits for nobody",
	"internal/lock/lock_unix.go":        "the same",
	"internal/proc/record_linux.go": "what the kernel tells of processes, and a small file of this " +
		"user that it wrote",
	"proof/robustness/command.go":        "what the kernel tells of processes",
	"proof/robustness/journal.go":        "journals that it had made, to damage them",
	"proof/robustness/interrupts.go":     "reads which signals a process handles, from /proc",
	"proof/robustness/names.go":          "a timeline that a command under attack wrote",
	"proof/record/record.go":             "the record of a campaign, which it wrote, and the program under test",
	"internal/self/asleep_linux.go":      "what the kernel tells of this process",
	"internal/size/main.go":              "the binary that make has built, of which it reports the size",
	"internal/source/source.go":          "sources that this program was compiled from, if they are still there",
	"internal/store/dir.go":              "the run directory itself, to bring its names to the disk",
	"internal/store/run.go":              "the journal, for writing",
	"proof/findings/campaign/label.go":   "the labels of the corpus, which are in the tree",
	"proof/findings/campaign/collect.go": "the evidence of a campaign, which it wrote",
	"proof/findings/gains/main.go":       "the labels of the corpus, which are in the tree",
	"trial/child.go":                     "the null device",
}
