package arch

// module is the path of the module and the prefix of its packages.
const module = "github.com/brewput/brewput"

// mayImport lists the packages of this module that each package may import. Tests may import any. A package that is not
// in the table fails the test, because a new package is a decision.
var mayImport = map[string][]string{
	"env":                       {},
	"internal/alarm":            {},
	"internal/rxtime":           {},
	"env/live":                  {"env", "internal/alarm"},
	"env/envtest":               {"env"},
	"env/virtual/internal/self": {},
	"env/virtual":               {"env", "env/virtual/internal/self", "sim", "timeline"},
	"sim":                       {},
	"timeline":                  {},
	"plan":                      {},
	"workload":                  {"env", "plan"},
	"result":                    {"internal/quote", "plan"},
	"workload/source":           {"workload"},
	"internal/gopprof":          {},
	"internal/gotrace":          {"evidence", "timeline"},
	"internal/stat":             {},
	"evidence":                  {},
	"internal/decimal":          {},
	"explain":                   {"evidence", "internal/decimal", "result"},
	"proof/findings/corpus":     {},
	"internal/hist":             {},
	"doctor":                    {"internal/decimal", "result"},
	"internal/buildinfo":        {"result"},
	"internal/starter":          {"internal/buildinfo", "internal/store", "plan"},
	"internal/host":             {"doctor", "internal/alarm", "internal/proc", "result"},
	"internal/calibrate":        {"env/live", "internal/input", "result"},
	"internal/proc":             {},
	"internal/lock":             {},
	"internal/tempdir":          {"internal/lock", "internal/proc"},
	"internal/input":            {},
	"internal/interrupt":        {},
	"internal/pager":            {},
	"internal/plugin": {"env", "internal/buildinfo", "internal/input", "internal/interrupt", "internal/proc", "plan",
		"trial", "workload", "workload/source"},
	"internal/store": {"internal/input", "internal/lock", "plan", "result"},
	"compare":        {"internal/decimal", "internal/stat", "model", "plan", "result", "workload"},
	"internal/command": {"compare", "env", "evidence/collect", "internal/host", "internal/proc", "internal/quote",
		"plan", "result", "sweep", "trial", "workload"},
	"lab": {"compare", "doctor", "evidence/collect", "explain", "internal/aa", "internal/calibrate", "internal/command",
		"internal/costs", "internal/gobench", "internal/host", "internal/input", "internal/quote", "internal/store",
		"plan", "result", "sweep", "timeline", "trial", "workload"},
	"load": {"env", "internal/hist", "result", "sim"},
	"trial": {"env", "env/live", "env/virtual", "internal/calibrate", "internal/gopprof",
		"internal/hist", "internal/hook", "internal/host", "internal/input", "internal/proc", "internal/stat", "load",
		"plan", "result", "sim", "timeline", "workload"},
	"model": {},
	"sweep": {"compare", "internal/calibrate", "internal/costs", "internal/host", "internal/input", "internal/plugin",
		"workload/source", "internal/stat", "internal/store", "load", "model", "plan", "result", "sim", "timeline",
		"trial", "workload"},
	"internal/aa": {"compare", "doctor", "env", "internal/calibrate", "internal/costs", "internal/host",
		"internal/stat", "plan", "result", "sweep", "trial", "workload"},
	"internal/costs": {"env", "internal/calibrate", "internal/input", "internal/stat", "plan", "result", "sim",
		"trial", "workload"},
	"report": {"compare", "doctor", "evidence", "explain", "internal/decimal", "internal/quote", "plan", "result",
		"timeline", "workload", "workload/source"},
	"internal/hook":    {},
	"internal/pprofui": {"internal/input"},
	"internal/quote":   {},
	"evidence/collect": {"evidence", "internal/gobench", "internal/gopprof", "internal/gotrace", "internal/hook",
		"internal/host", "internal/input", "internal/proc", "internal/tempdir", "plan", "result", "timeline", "trial",
		"workload"},
	"internal/gobench": {"compare", "internal/host", "internal/input", "internal/lock", "internal/proc",
		"internal/store", "plan", "result", "sweep", "trial", "workload"},
	"internal/cli/help":   {},
	"internal/cli/manual": {},
	"internal/cli/intent": {"compare", "internal/decimal", "lab", "result", "sweep"},
	"internal/cli/option": {"internal/cli/help", "internal/config", "plan", "sim", "workload"},
	"internal/config":     {"internal/input", "internal/quote", "plan"},
	"internal/cli": {"compare", "doctor", "evidence/collect", "internal/buildinfo", "internal/cli/help",
		"internal/cli/intent", "internal/cli/option", "internal/command", "internal/config", "internal/decimal",
		"internal/gobench", "internal/host", "internal/input", "internal/interrupt", "internal/pager",
		"internal/plugin", "internal/pprofui", "internal/quote", "internal/schema", "internal/starter",
		"internal/store", "lab", "plan", "report", "result", "sim", "sweep", "timeline", "workload"},
	"":                   {"internal/cli", "lab", "trial", "workload"},
	"catalog/coffee":     {"env", "plan", "sim", "workload"},
	"catalog/mandelbrot": {"env", "model", "plan", "workload"},
	"catalog/merge":      {"env", "plan", "workload"},
	"catalog/null":       {"env", "plan", "workload"},
	"catalog/find":       {"env", "plan", "workload"},
	"catalog/identity":   {"env", "plan", "workload"},
	"catalog/journal":    {"env", "internal/tempdir", "plan", "workload"},
	"catalog/lines":      {"env", "plan", "workload"},
	"catalog/messenger":  {"env", "plan", "workload"},
	"catalog/peers":      {"env", "plan", "workload"},
	"catalog/parse":      {"env", "plan", "workload"},
	"catalog/set":        {"env", "plan", "workload"},
	"catalog/words":      {"env", "plan", "workload"},
	"endpoint": {"env", "internal/input", "internal/proc", "internal/quote", "internal/rxtime", "plan",
		"workload"},
	"catalog": {"catalog/coffee", "catalog/find", "catalog/identity", "catalog/journal", "catalog/lines",
		"catalog/mandelbrot", "catalog/merge", "catalog/messenger", "catalog/null", "catalog/parse", "catalog/peers",
		"catalog/set", "catalog/sort", "catalog/sum", "catalog/words", "endpoint", "endpoint/corenlp",
		"workload"},
	"catalog/sort":      {"env", "model", "plan", "workload"},
	"catalog/sum":       {"env", "model", "plan", "workload"},
	"cmd/brewput":       {"", "catalog", "internal/interrupt/early", "internal/plugin"},
	"internal/arch":     {},
	"endpoint/corenlp":  {"endpoint", "env", "internal/quote", "plan", "workload"},
	"labtest":           {"internal/host", "internal/stat", "result"},
	"examples/counter":  {"", "env", "plan", "workload"},
	"examples/realcode": {"", "env", "plan", "workload"},

	"internal/interrupt/early": {"internal/interrupt"},

	"examples/futuredate":   {},
	"examples/merge":        {},
	"examples/wordserver":   {},
	"internal/seeded":       {},
	"internal/schema":       {},
	"internal/settest":      {"env", "env/live", "env/virtual", "sim"},
	"internal/workloadtest": {"env", "plan", "result", "sim", "trial", "workload"},

	"tools/cachetest":  {},
	"tools/schematest": {"internal/schema"},

	"endpoint/corenlp/standin": {"endpoint/corenlp"},
	"tools/corenlp":            {"endpoint/corenlp", "internal/input", "internal/interrupt", "internal/lock"},
	"proof/corenlp": {"compare", "endpoint/corenlp", "internal/decimal", "internal/interrupt", "internal/stat", "plan",
		"proof/record", "result", "trial", "workload"},

	"proof/idle":       {"internal/host", "result"},
	"proof/aatest":     {"compare", "lab", "workload"},
	"proof/realcode":   {"internal/stat", "proof/idle", "result"},
	"proof/record":     {},
	"proof/rivals":     {"catalog", "internal/plugin", "internal/stat", "lab", "proof/record", "result", "workload"},
	"tools/repository": {"internal/proc"},
	"proof/binarysize": {"internal/proc", "tools/release/settings"},
	"tools/release":    {"internal/interrupt", "internal/proc", "tools/release/settings"},

	"tools/release/settings": {},

	"tools/hostile": {"env", "internal/gobench", "internal/host", "internal/quote", "internal/store", "plan",
		"result", "sweep", "workload"},
	"proof/robustness": {"", "internal/proc", "internal/store", "internal/store/storetest", "proof/record", "result",
		"tools/hostile", "tools/repository"},
	"proof/regressions": {"internal/stat", "proof/idle", "proof/record", "result",
		"tools/repository"},
	"proof/identities": {"catalog/peers", "plan", "proof/record", "result", "sim", "trial", "workload"},
	"proof/services": {"compare", "env", "internal/decimal", "internal/interrupt", "internal/proc", "load", "model",
		"proof/idle", "proof/record", "proof/services/known", "result"},
	"proof/services/known": {"env", "internal/alarm", "internal/rxtime", "model"},
	"proof/uniqueness":     {"catalog/identity", "plan", "proof/record", "result", "trial", "workload"},
	"proof/simspeed":       {"catalog/coffee", "env", "env/virtual", "internal/host", "load", "plan", "sim"},
	"proof/predictions": {"catalog", "catalog/coffee", "compare", "env", "internal/stat", "lab", "plan",
		"proof/aatest", "proof/idle", "proof/record", "result", "sim", "sweep", "workload"},
	"proof/falseverdicts": {"catalog/coffee", "catalog/null", "compare", "internal/stat", "lab", "proof/aatest",
		"proof/record", "result", "workload"},

	"internal/store/storetest": {},
	"proof/findings":           {"evidence", "explain", "proof/findings/corpus", "internal/stat"},
	"proof/findings/gains":     {"explain", "proof/findings", "proof/record"},
	"proof/findings/campaign": {"evidence", "explain", "internal/host", "internal/proc", "internal/stat",
		"internal/store", "lab", "proof/findings", "proof/findings/corpus", "proof/record"},
}

// toolsOnly are packages that the command must not import, directly or indirectly.
var toolsOnly = []string{"endpoint/corenlp/standin", "tools/cachetest", "tools/schematest", "internal/cli/manual",
	"internal/seeded", "internal/settest", "internal/store/storetest", "internal/workloadtest", "proof/aatest",
	"proof/idle", "proof/record", "proof/services/known", "tools/hostile", "tools/release", "tools/release/settings",
	"tools/repository"}

// mayUse lists the other modules that each package may import, and testsMayUse those that any test may import. Neither
// permits cgo, so that everything builds without a C compiler.
var (
	mayUse = map[string][]string{
		"catalog/find":        {"golang.org/x/sys"},
		"catalog/journal":     {"golang.org/x/sys"},
		"evidence/collect":    {"golang.org/x/sys"},
		"internal/alarm":      {"golang.org/x/sys"},
		"internal/rxtime":     {"golang.org/x/sys"},
		"env/live":            {"golang.org/x/sys"},
		"internal/calibrate":  {"golang.org/x/sys"},
		"internal/pager":      {"golang.org/x/term"},
		"internal/cli":        {"github.com/spf13/cobra", "github.com/spf13/pflag", "golang.org/x/term"},
		"internal/cli/help":   {"github.com/spf13/cobra", "github.com/spf13/pflag"},
		"internal/cli/option": {"github.com/spf13/cobra", "github.com/spf13/pflag"},
		"internal/gobench":    {"golang.org/x/perf/benchfmt"},
		"internal/gotrace":    {"golang.org/x/exp/trace"},
		"internal/hist":       {"github.com/HdrHistogram/hdrhistogram-go", "golang.org/x/sys"},
		"internal/host":       {"golang.org/x/sys"},
		"tools/hostile":       {"github.com/google/pprof"},
		"internal/pprofui":    {"github.com/google/pprof"},
		"internal/proc":       {"golang.org/x/sys"},
		"internal/seeded":     {"pgregory.net/rapid"},
		"internal/settest":    {"github.com/anishathalye/porcupine"},

		"tools/schematest": {"github.com/santhosh-tekuri/jsonschema/v6"},

		"internal/stat": {"gonum.org/v1/gonum/integrate/quad", "gonum.org/v1/gonum/mathext"}, // the rest links matrices
	}
	testsMayUse = []string{
		"github.com/google/pprof/profile", "github.com/rogpeppe/go-internal/testscript", "go.uber.org/goleak",
		"golang.org/x/perf/benchfmt", "gonum.org/v1/gonum", "pgregory.net/rapid",
	}
)

// pure are the packages whose results depend only on their arguments. They may import each other, and env, whose
// operations act on the world that they are given.
var pure = map[string]bool{"plan": true, "internal/stat": true, "compare": true, "doctor": true,
	"internal/decimal": true,
	"internal/gopprof": true, "internal/quote": true, "evidence": true, "explain": true, "result": true,
	"workload": true, "model": true, "sim": true, "timeline": true}

// wholeNumbers are the packages that compute only with integers, so that a simulation is the same on every machine.
// They have no floating-point types and use only the integer limits of package math.
var wholeNumbers = map[string]bool{"sim": true, "timeline": true}

// impureImports are imports that a pure package must not have, including packages below them.
var impureImports = []string{"crypto/rand", "log", "math/rand", "net", "os", "plugin", "runtime", "syscall", "testing",
	"unsafe"}

// clockCalls read the clock or start a timer. Pure packages and designs must not call them; a design uses env instead.
var clockCalls = []string{
	"time.After", "time.AfterFunc", "time.NewTicker", "time.NewTimer", "time.Now", "time.Since", "time.Sleep",
	"time.Tick", "time.Until",
}

// designImports are the packages of the standard library that the catalog may import. None is concurrent, so that
// designs run in both worlds. The list of workloads, which embeds their sources, may also import catalogueImports. The
// liveFiles, which use files, processes and the machine, may also import liveImports. Their concurrency comes from env
// too.
var (
	designImports = []string{"bufio", "bytes", "cmp", "compress/flate", "crypto/sha1", "encoding/binary",
		"encoding/xml", "errors", "fmt", "hash/adler32", "hash/crc32", "image", "image/color", "image/png", "io",
		"math", "math/bits", "slices", "sort", "strconv", "strings", "time", "unicode", "unicode/utf8"}
	catalogueImports = []string{"embed", "io/fs"}
	liveImports      = []string{"encoding/json", "os", "os/exec", "path/filepath", "runtime", "simd/archsimd",
		"syscall", "unsafe"}
)

// liveFiles are the files of the catalog that use more than env, each with the reason. Their designs declare that they
// run only in the live world, unless the access is after the trial.
var liveFiles = map[string]string{
	"catalog/find/files.go":          "reads documents from files",
	"catalog/find/cold_linux.go":     "drops files from the page cache",
	"catalog/journal/disk.go":        "reads and writes the files of a log",
	"catalog/journal/file.go":        "encodes JSON, as the original does",
	"catalog/journal/group.go":       "lets callers that were just woken join a batch",
	"catalog/journal/mapped_unix.go": "maps the file of a log",
	"catalog/journal/sync_linux.go":  "syncs a file without its times",
	"catalog/journal/sync_other.go":  "syncs a file",
	"catalog/words/bounds.go":        "reads the file, to measure that",
	"catalog/words/bytewise.go":      "opens the file",
	"catalog/words/chunks.go":        "reads the file at many offsets at the same time",
	"catalog/words/generate.go":      "writes the file that is counted, in the cache directory",
	"catalog/words/input.go":         "finds the file and reads it",
	"catalog/words/mmap.go":          "opens the file that is mapped",
	"catalog/words/mmap_unix.go":     "maps the file",
	"catalog/words/mmap_other.go":    "returns an error",
	"catalog/words/peers.go":         "runs wc and cat",
	"catalog/words/simd_amd64.go":    "uses vector instructions, which are experimental",
	"catalog/mandelbrot/save.go":     "writes the picture, after the trial",
}

// syncFiles are the files of the catalog that may import package sync, each with the reason. Their designs run only in
// the live world.
var syncFiles = map[string]string{
	"catalog/set/syncmap.go": "is a design that uses sync.Map",
}

// catalogueFile is the list of workloads.
const catalogueFile = "catalog/catalog.go"

// prints are the packages that may use the standard streams of the process: commands, and the child of a trial, whose
// protocol uses them.
var prints = map[string]bool{"": true, "internal/cli": true, "internal/plugin": true,
	"cmd/brewput": true, "trial": true,
	"proof/falseverdicts": true, "proof/simspeed": true, "proof/realcode": true, "proof/regressions": true,
	"tools/hostile": true, "proof/robustness": true, "proof/binarysize": true, "proof/predictions": true,
	"tools/release": true, "proof/findings/campaign": true, "proof/findings/gains": true, "examples/counter": true,
	"examples/futuredate": true, "examples/merge": true, "examples/wordserver": true, "proof/uniqueness": true,
	"proof/rivals": true, "proof/identities": true, "proof/services": true, "proof/corenlp": true,
	"tools/corenlp": true}

// variables are the permitted package-level variables, each with the reason. Errors, patterns, embedded files and
// unexported tables need no entry. No package-level variable may be changed.
var variables = map[string]string{
	"env.Default":                        "a value of a struct type, which cannot be a constant",
	"env.tasks":                          "a pool: its values are reset, and only the cost of a spawn depends on it",
	"internal/proc.adopted":              "a flag of the process, which concurrent commands need",
	"internal/interrupt.heard":           "receives signals before main begins, so no caller can pass a channel",
	"endpoint.given":                     "the ports that this process has given to servers",
	"trial.initial":                      "the file of this program when the process began",
	"result.Quantiles":                   "a table of the contract that several packages use",
	"result.Unavailable":                 "NaN, which cannot be a constant",
	"env/virtual/internal/self.numberAt": "the offset of a thread's number in this build of Go, determined once",
}

// mayExit are the functions outside main packages that may end the process, each with its file and the reason.
var mayExit = map[string]string{
	"brewput.go Main":                    "is the main function of a program",
	"trial/child.go Main":                "is the main function of the process of a trial",
	"internal/plugin/serve.go Main":      "is the main function of another program",
	"trial/child.go serveParent":         "ends the process of a trial when its parent asks for it, or is gone",
	"tools/hostile/carriers.go Workload": "tests a design that ends its own process",
}

// Limits of file and function lengths, except in tests.
const (
	maxFileLines     = 300
	maxFunctionLines = 60
)

// maxInternalShare is the largest part of the module's lines that may be in internal folders, except tests. A reader
// of the documentation sees nothing of them, and no other program can use them.
const maxInternalShare = 0.25
