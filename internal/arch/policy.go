// Package arch states the architecture as a policy table; its tests hold the code to it.
package arch

// module is the path of the module and the prefix of its packages.
const module = "github.com/brewput/brewput"

// mayImport lists, for every package outside of tests, the packages of this module it may import. A
// package that is missing here fails the test: a new room is a decision.
var mayImport = map[string][]string{
	"env":                   {},
	"internal/alarm":        {},
	"env/live":              {"env", "internal/alarm"},
	"env/envtest":           {"env"},
	"internal/self":         {},
	"env/virtual":           {"env", "internal/self", "sim", "timeline"},
	"sim":                   {},
	"timeline":              {},
	"plan":                  {},
	"workload":              {"env", "plan"},
	"result":                {"internal/quote", "plan"},
	"internal/source":       {"workload"},
	"internal/gopprof":      {},
	"internal/gotrace":      {"evidence", "timeline"},
	"internal/stat":         {},
	"evidence":              {},
	"explain":               {"evidence"},
	"proof/findings/corpus": {},
	"internal/hist":         {},
	"internal/doctor":       {"result"},
	"internal/host":         {"internal/alarm", "internal/doctor", "result"},
	"internal/calibrate":    {"env/live", "internal/input"},
	"internal/proc":         {},
	"internal/lock":         {},
	"internal/input":        {},
	"internal/interrupt":    {},
	"internal/store":        {"internal/input", "internal/lock", "result"},
	"compare":               {"internal/stat", "model", "plan", "result"},
	"lab": {"compare", "evidence/collect", "explain", "internal/calibrate", "internal/costs",
		"internal/doctor", "internal/gobench", "internal/host", "internal/input", "internal/quote",
		"internal/store", "plan", "result", "sim", "sweep", "timeline", "trial", "workload"},
	"load": {"env", "internal/hist", "result", "sim"},
	"trial": {"env", "env/live", "env/virtual", "internal/calibrate", "internal/gopprof",
		"internal/hist", "internal/hook", "internal/host", "internal/input", "internal/proc", "internal/stat", "load",
		"plan", "result", "sim", "timeline", "workload"},
	"model": {},
	"sweep": {"compare", "internal/calibrate", "internal/costs", "internal/host", "internal/input", "internal/quote",
		"internal/source", "internal/stat", "internal/store", "load", "model", "plan", "result", "sim", "timeline",
		"trial", "workload"},
	"internal/aa": {"compare", "env", "internal/doctor", "internal/stat", "plan", "result", "sweep", "trial",
		"workload"},
	"internal/costs": {"env", "internal/calibrate", "internal/input", "internal/stat", "plan", "result", "sim",
		"trial", "workload"},
	"report": {"compare", "evidence", "explain", "internal/doctor", "internal/quote", "plan", "result",
		"timeline"},
	"internal/hook":    {},
	"internal/pprofui": {"internal/input"},
	"internal/quote":   {},
	"evidence/collect": {"evidence", "internal/gobench", "internal/gopprof", "internal/gotrace", "internal/hook",
		"internal/host", "internal/input", "internal/lock", "internal/proc", "plan", "result", "timeline", "trial",
		"workload"},
	"internal/gobench": {"compare", "internal/host", "internal/input", "internal/lock", "internal/proc", "plan",
		"result", "sweep", "trial", "workload"},
	"internal/cli": {"compare", "evidence/collect", "internal/aa", "internal/calibrate", "internal/costs",
		"internal/doctor", "internal/gobench", "internal/host", "internal/input", "internal/interrupt",
		"internal/pprofui", "internal/quote", "internal/source", "internal/store", "lab", "plan", "report",
		"result", "sim", "sweep", "timeline", "trial", "workload"},
	"":                   {"internal/aa", "internal/cli", "internal/costs", "trial", "workload"},
	"catalog/coffee":     {"env", "plan", "sim", "workload"},
	"catalog/mandelbrot": {"env", "model", "plan", "workload"},
	"catalog/null":       {"env", "plan", "workload"},
	"catalog/find":       {"env", "plan", "workload"},
	"catalog/lines":      {"env", "plan", "workload"},
	"catalog/parse":      {"env", "plan", "workload"},
	"catalog/words":      {"env", "plan", "workload"},
	"catalog": {"catalog/coffee", "catalog/find", "catalog/lines", "catalog/mandelbrot", "catalog/null",
		"catalog/parse", "catalog/sort", "catalog/sum", "catalog/words", "workload"},
	"catalog/sort":      {"env", "model", "plan", "workload"},
	"catalog/sum":       {"env", "model", "plan", "workload"},
	"cmd/brewput":       {"", "catalog", "internal/interrupt/early"},
	"internal/arch":     {},
	"labtest":           {"internal/host", "internal/stat", "result"},
	"examples/counter":  {"", "env", "plan", "workload"},
	"examples/realcode": {"", "env", "plan", "workload"},

	"internal/interrupt/early": {"internal/interrupt"},

	"examples/futuredate": {},
	"internal/seeded":     {},
	"proof/realcode":      {"internal/stat", "result"},
	"proof/record":        {},
	"internal/repository": {},
	"internal/size":       {},
	"internal/hostile": {"env", "internal/gobench", "internal/host", "internal/quote", "internal/store", "plan",
		"result", "sweep", "workload"},
	"proof/robustness": {"", "internal/hostile", "internal/proc", "proof/record", "internal/repository",
		"internal/store", "internal/store/storetest", "result"},
	"proof/regressions": {"internal/host", "proof/record", "internal/repository", "internal/stat", "result"},
	"proof/simspeed":    {"catalog/coffee", "env", "env/virtual", "internal/host", "load", "plan", "sim"},
	"proof/predictions": {"catalog/coffee", "compare", "env", "internal/aa", "internal/calibrate", "internal/costs",
		"internal/host", "internal/stat", "internal/store", "lab", "plan", "result", "sim", "sweep", "trial",
		"workload"},
	"proof/falseverdicts": {"catalog", "compare", "internal/aa", "internal/calibrate", "trial", "workload"},

	"internal/store/storetest": {},
	"proof/findings":           {"evidence", "explain", "proof/findings/corpus", "internal/stat"},
	"proof/findings/gains":     {"explain", "proof/findings"},
	"proof/findings/campaign": {"evidence", "evidence/collect", "explain", "proof/findings/corpus", "internal/host",
		"internal/proc", "internal/stat", "proof/findings"},
}

// toolsOnly are packages that the command must not reach through any import.
var toolsOnly = []string{"internal/hostile", "proof/record", "internal/repository", "internal/seeded",
	"internal/store/storetest"}

// mayUse lists the modules of others that a package may import, and testsMayUse those that any test
// may import besides. cgo is in neither: everything builds with Go alone.
var (
	mayUse = map[string][]string{
		"catalog/find":       {"golang.org/x/sys"},
		"evidence/collect":   {"golang.org/x/sys"},
		"internal/alarm":     {"golang.org/x/sys"},
		"env/live":           {"golang.org/x/sys"},
		"internal/calibrate": {"golang.org/x/sys"},
		"internal/cli":       {"github.com/spf13/cobra", "github.com/spf13/pflag", "golang.org/x/term"},
		"internal/gobench":   {"golang.org/x/perf/benchfmt"},
		"internal/gotrace":   {"golang.org/x/exp/trace"},
		"internal/hist":      {"github.com/HdrHistogram/hdrhistogram-go", "golang.org/x/sys"},
		"internal/host":      {"golang.org/x/sys"},
		"internal/hostile":   {"github.com/google/pprof"},
		"internal/pprofui":   {"github.com/google/pprof"},
		"internal/proc":      {"golang.org/x/sys"},
		"internal/seeded":    {"pgregory.net/rapid"},
		"internal/stat":      {"gonum.org/v1/gonum"},
	}
	testsMayUse = []string{
		"github.com/google/pprof/profile", "github.com/rogpeppe/go-internal/testscript", "go.uber.org/goleak",
		"golang.org/x/perf/benchfmt", "pgregory.net/rapid",
	}
)

// pure are the packages whose results depend on their arguments alone. They may import each other and
// env, whose operations happen in the world that they are given.
var pure = map[string]bool{"plan": true, "internal/stat": true, "compare": true, "internal/doctor": true,
	"internal/gopprof": true, "internal/quote": true, "evidence": true, "explain": true, "result": true, "workload": true,
	"model": true, "sim": true, "timeline": true}

// wholeNumbers are the packages that compute in integers alone, so that a run is the same on every
// machine: of package math they may use its limits of integers, and they have no floating-point types.
var wholeNumbers = map[string]bool{"sim": true, "timeline": true}

// impureImports must not be imported by a pure package, nor what lies below them.
var impureImports = []string{"crypto/rand", "log", "math/rand", "net", "os", "plugin", "runtime", "syscall", "testing",
	"unsafe"}

// clockCalls read the clock or start a timer. Neither a pure package nor a design makes one: a design
// asks its world.
var clockCalls = []string{
	"time.After", "time.AfterFunc", "time.NewTicker", "time.NewTimer", "time.Now", "time.Since", "time.Sleep",
	"time.Tick", "time.Until",
}

// designImports are the packages of the standard library that the catalogue may import: none holds
// anything concurrent, so that designs run in both worlds. catalogueImports are those of the list of
// workloads besides, which embeds their sources; liveImports those of liveFiles besides, which reach files,
// processes and the machine. Concurrency comes from env there too.
var (
	designImports = []string{"bufio", "bytes", "cmp", "compress/flate", "crypto/sha1", "encoding/binary",
		"encoding/xml", "errors", "fmt", "hash/adler32", "hash/crc32", "image", "image/color", "image/png", "io",
		"math", "math/bits", "slices", "sort", "strconv", "strings", "time", "unicode", "unicode/utf8"}
	catalogueImports = []string{"embed", "io/fs"}
	liveImports      = []string{"os", "os/exec", "path/filepath", "runtime", "simd/archsimd", "syscall", "unsafe"}
)

// liveFiles are the files of the catalogue that reach beyond env, each with the reason: their designs say that they
// run in the live world only, unless it is after the trial.
var liveFiles = map[string]string{
	"catalog/find/files.go":       "reads documents from files",
	"catalog/find/cold_linux.go":  "drops files from the system's cache",
	"catalog/words/bounds.go":     "reads the file, to find out what that takes",
	"catalog/words/bytewise.go":   "opens the file",
	"catalog/words/chunks.go":     "reads the file at many places at once",
	"catalog/words/generate.go":   "writes the file that is counted, in the cache directory",
	"catalog/words/input.go":      "finds the file and reads it",
	"catalog/words/mmap.go":       "opens the file that is mapped",
	"catalog/words/mmap_unix.go":  "maps the file",
	"catalog/words/mmap_other.go": "says that it cannot",
	"catalog/words/peers.go":      "runs wc and cat",
	"catalog/words/simd_amd64.go": "uses vector instructions, which are an experiment",
	"catalog/mandelbrot/save.go":  "writes the picture where --save says, after the trial",
}

// catalogueFile is the list of workloads.
const catalogueFile = "catalog/catalog.go"

// prints are the packages that may write to the process's standard streams: the command, and a
// trial's child, whose protocol they carry.
var prints = map[string]bool{"": true, "internal/cli": true, "cmd/brewput": true, "trial": true,
	"proof/falseverdicts": true, "proof/simspeed": true, "proof/realcode": true, "proof/regressions": true,
	"internal/hostile": true, "proof/robustness": true, "internal/size": true, "proof/predictions": true,
	"proof/findings/campaign": true, "proof/findings/gains": true, "examples/counter": true,
	"examples/futuredate": true}

// variables are the package-level variables that are neither plainly constant (an error, a pattern, an
// embedded file) nor an unexported table, each with the reason why it may be. None is ever assigned.
var variables = map[string]string{
	"env.Default":              "a value of a struct type, which cannot be a constant",
	"env.tasks":                "a pool: what it hands out is reset, and only the cost of a spawn depends on it",
	"internal/interrupt.heard": "hears a signal before main begins: nobody could hand it a channel",
	"result.Quantiles":         "the contract's table, which several packages walk through",
	"result.Unavailable":       "NaN, which cannot be a constant",
	"internal/self.numberAt":   "where this build of Go keeps the number of a thread, found out once",
}

// mayExit are the files beside main packages that may end the process, each with the reason.
var mayExit = map[string]string{
	"brewput.go":                   "Main is the main function of a program",
	"trial/child.go":               "Main is the main function of a trial's process, which ends as its parent expects",
	"internal/hostile/carriers.go": "a design that ends its own trial is what is tested",
}

// Limits of the house. Tests are not counted.
const (
	maxFileLines     = 400
	maxFunctionLines = 60
)
