package collect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/brewput/brewput/evidence"
	"github.com/brewput/brewput/internal/gobench"
)

// testFlags are the flags of a test binary that have a value, except those that explain refuses at once. Other flags of
// go test are build flags.
var testFlags = []string{"bench", "benchtime", "run", "skip", "count", "cpu", "timeout", "parallel", "shuffle"}

// profileFlags are flags of go test that ask for profiles. With otherModes it does not run the tests, or prints them in
// another format.
var (
	profileFlags = []string{"cpuprofile", "memprofile", "memprofilerate", "mutexprofile", "mutexprofilefraction",
		"blockprofile", "blockprofilerate", "trace", "outputdir"}
	otherModes = []string{"c", "json", "fuzz", "fuzztime", "list"}
)

// benchmarks describes the benchmarks that a test binary runs.
type benchmarks struct {
	pattern    string
	operations int64 // b.N of the only benchmark; 0 if there are several
	byTime     bool  // there are several, and each runs for a time: on more CPUs they do more
}

// testCommand is a parsed go test command line.
type testCommand struct {
	build, args []string // build flags, and the arguments after -args
	pkg         string
	has         map[string]string // flags of the test binary, by name without "test."
}

// parseTest parses the arguments of go test. It refuses flags that the runs of explain cannot honor.
func parseTest(args []string) (testCommand, error) {
	t := testCommand{pkg: ".", has: map[string]string{}}
	named := false
	for i := 0; i < len(args); i++ {
		if args[i] == "-args" || args[i] == "--args" {
			t.args = args[i+1:]
			break
		}
		if !strings.HasPrefix(args[i], "-") {
			if named {
				return t, fmt.Errorf("go test names several packages, %s and %s: give one of them", t.pkg, args[i])
			}
			t.pkg, named = args[i], true
			continue
		}
		name, value, has := strings.Cut(strings.TrimPrefix(strings.TrimLeft(args[i], "-"), "test."), "=")
		if slices.Contains(profileFlags, name) {
			return t, fmt.Errorf("leave out -%s: explain asks for profiles itself, one at a time", name)
		}
		if name == "coverprofile" {
			return t, errors.New("leave out -coverprofile: explain stores no coverage, and counting it slows the tests")
		}
		if slices.Contains(otherModes, name) {
			return t, fmt.Errorf("leave out -%s: explain runs tests and benchmarks, and reads their text output", name)
		}
		if slices.Contains([]string{"C", "exec", "toolexec", "o"}, name) {
			return t, fmt.Errorf("go's flag -%s is not possible here", name)
		}
		test := slices.Contains(testFlags, name)
		if !has && (test || name == "vet" || slices.Contains(valueFlags, name)) {
			if i++; i == len(args) {
				return t, fmt.Errorf("go test's flag -%s has no value", name)
			}
			value, has = args[i], true
		}
		switch {
		case test:
			t.has[name] = value
		case slices.Contains([]string{"v", "short", "failfast", "benchmem", "fullpath"}, name):
			if !has {
				value = "true"
			}
			t.has[name] = value
		case has:
			t.build = append(t.build, "-"+name+"="+value)
		default:
			t.build = append(t.build, "-"+name)
		}
	}

	return t, t.checkRuns()
}

// checkRuns refuses flags that would set what explain sets for each of its runs. -count=1 is usual, to run tests again
// that have passed, and explain always does that.
func (t testCommand) checkRuns() error {
	if _, ok := t.has["cpu"]; ok {
		return errors.New("leave out -cpu: explain sets GOMAXPROCS of each run; choose its values by explain's own " +
			"option cpus, before the two dashes")
	}
	if n, ok := t.has["count"]; ok && n != "1" && t.has["bench"] != "" {
		return errors.New("leave out -count: explain repeats benchmarks itself, as often as it needs")
	}
	return nil
}

// flags returns the flags of the test binary, without the number of CPUs.
func (t testCommand) flags() []string {
	if t.has["bench"] != "" {
		if _, ok := t.has["run"]; !ok {
			t.has["run"] = "^$"
		}
		if _, ok := t.has["benchtime"]; !ok {
			t.has["benchtime"] = "500ms"
		}
	}

	// Without -timeout only the limits of explain apply.
	list := []string{"-test.paniconexit0", "-test.timeout=" + cmp.Or(t.has["timeout"], "0"),
		"-test.count=" + cmp.Or(t.has["count"], "1")}
	for _, name := range []string{"run", "skip", "bench", "benchtime", "parallel", "shuffle", "short", "benchmem", "v",
		"failfast", "fullpath"} {
		if value, ok := t.has[name]; ok {
			list = append(list, "-test."+name+"="+value)
		}
	}

	return list
}

// goTest builds the test binary of a package.
func goTest(ctx context.Context, work, dir string, args []string, progress func(string)) (*target, error) {
	t, err := parseTest(args)
	if err != nil {
		return nil, err
	}

	if isPattern(t.pkg) {
		if t.pkg, err = t.onlyPackage(ctx, dir, append([]string{"go", "test"}, args...)); err != nil {
			return nil, err
		}
	}

	r := &buildConfig{dir: dir, packages: []string{t.pkg}, flags: t.build, work: work, test: true}
	if inside := filepath.Join(dir, t.pkg); strings.HasPrefix(t.pkg, ".") && isDir(inside) {
		r.dir, r.packages = inside, []string{"."}
	}
	if err := r.list(ctx); err != nil {
		return nil, fmt.Errorf("%s is no package whose tests can be built: %w", t.pkg, err)
	}

	name := filepath.Base(r.pkg.Dir) + ".test"
	flags := t.flags()
	s := &target{buildConfig: r, plain: program{
		path: filepath.Join(work, "plain", name), args: slices.Concat([]string{name}, flags, t.args), dir: r.pkg.Dir,
		env: []string{"PWD=" + r.pkg.Dir}, cpuFlag: "-test.cpu=",
	}}
	progress("building the tests of " + r.pkg.ImportPath)
	if err := r.build(ctx, s.plain.path); err != nil {
		return nil, fmt.Errorf("the tests of %s cannot be built:\n%w", t.pkg, err)
	}

	s.about = evidence.Program{Name: name, Main: r.pkg.ImportPath}
	if p := t.has["bench"]; p != "" {
		s.bench = &benchmarks{pattern: p}
	}

	s.setSource()
	return s, nil
}

// onlyPackage returns the only package of the pattern that has benchmarks, or tests if the command asks for tests.
func (t testCommand) onlyPackage(ctx context.Context, dir string, command []string) (string, error) {
	list, err := listPackages(ctx, dir, t.pkg, listFlags(t.build))
	switch {
	case err != nil:
		return "", err
	case t.has["bench"] != "":
		return onlyBenchmarks(ctx, list, dir, t.pkg, command)
	}
	return onlyTests(list, dir, t.pkg, command)
}

// useBenchmarks reads the output of the first run of benchmarks. The other runs do the same number of operations.
func (s *target) useBenchmarks(e outcome, cpus int) error {
	if s.bench == nil {
		return nil
	}

	lines := gobench.Parse(e.stdout, cpus)
	switch {
	case e.code != 0 && !e.cut:
		return &Failure{Reason: fmt.Sprintf("the tests of %s fail: %s", s.pkg.ImportPath, e.state),
			Output: e.stdout + e.stderr}
	case len(lines) == 0 && !e.cut:
		return errors.New("no benchmark of " + s.pkg.ImportPath + " matches -bench " + s.bench.pattern +
			"; go test -list Benchmark lists them")
	case len(lines) > 1:
		s.bench.byTime = !slices.ContainsFunc(s.plain.args, func(a string) bool {
			return strings.HasPrefix(a, "-test.benchtime=") && strings.HasSuffix(a, "x")
		})
		s.about.MultipleBenchmarks = true
		s.notes = append(s.notes, fmt.Sprintf("%d benchmarks match -bench %s, and the findings cover all of them "+
			"together: name one to explain it alone", len(lines), s.bench.pattern))
	case len(lines) == 1:
		s.bench.operations = lines[0].N
		s.about.Name = "Benchmark" + lines[0].Name
		args := slices.DeleteFunc(slices.Clone(s.plain.args),
			func(a string) bool { return strings.HasPrefix(a, "-test.benchtime=") })
		// In front, because the arguments after -args belong to the tests.
		s.plain.args = slices.Insert(args, 1, fmt.Sprintf("-test.benchtime=%dx", lines[0].N))
	}

	return nil
}
