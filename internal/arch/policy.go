// Package arch states the architecture as a policy table; its test holds the code to it.
package arch

// module is the path of the module and the prefix of its packages.
const module = "github.com/brewput/brewput"

// mayImport lists, for every package outside of tests, the packages of this module it may import. A
// package that is missing here fails the test: a new room is a decision.
//
// The order is that of the pipeline: a package imports only what stands above it.
var mayImport = map[string][]string{
	"env":                {},
	"env/live":           {"env"},
	"env/envtest":        {"env"},
	"plan":               {},
	"workload":           {"env", "plan"},
	"result":             {"plan"},
	"internal/stat":      {},
	"internal/hist":      {},
	"internal/host":      {"result"},
	"internal/calibrate": {"env/live"},
	"internal/store":     {"result"},
	"compare":            {"internal/stat", "plan", "result"},
	"trial":              {"env", "env/live", "internal/calibrate", "internal/hist", "internal/host", "plan", "result", "workload"},
	"sweep":              {"internal/calibrate", "internal/host", "plan", "result", "trial", "workload"},
	"report":             {"compare", "plan", "result"},
	"internal/cli":       {"compare", "internal/calibrate", "internal/host", "internal/store", "plan", "report", "result", "sweep", "trial", "workload"},
	"":                   {"internal/cli", "trial", "workload"},
	"catalog/coffee":     {"env", "plan", "workload"},
	"catalog/null":       {"env", "plan", "workload"},
	"catalog":            {"catalog/coffee", "catalog/null", "workload"},
	"cmd/brewput":        {"", "catalog"},
	"internal/arch":      {},
	"examples/counter":   {"", "env", "plan", "workload"},
}

// pure are the packages whose results depend on their arguments alone.
var pure = map[string]bool{"plan": true, "internal/stat": true, "compare": true, "result": true}

// impureImports must not be imported by a pure package, and impureCalls not be called by one.
var (
	impureImports = []string{"os", "net", "log", "os/exec", "syscall", "runtime", "math/rand", "math/rand/v2", "crypto/rand"}
	impureCalls   = []string{"time.Now", "time.Since", "time.Sleep", "time.After", "time.NewTimer"}
)

// prints are the packages that may write to the process's standard streams: the command, and a
// trial's child, whose protocol they carry.
var prints = map[string]bool{"": true, "internal/cli": true, "cmd/brewput": true, "trial": true, "examples/counter": true}

// packageVariables are the files of the catalogue that may hold a package-level variable: the
// embedded sources are one by construction.
var packageVariables = map[string]bool{"catalog/catalog.go": true}

// Limits of the house. Tests are not counted.
const (
	maxFileLines     = 400
	maxFunctionLines = 60
)
