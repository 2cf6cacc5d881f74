package collect

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/brewput/brewput/evidence"
)

func TestParseEscapes(t *testing.T) {
	const said = `# example.com/p
./main.go:21:13: inlining call to fmt.Println
./main.go:18:3: moved to heap: x
./main.go:18:3: moved to heap: x
../q/q.go:19:16: append escapes to heap
/abs/a.go:2:1: new(T) escapes to heap
./main.go:21:13: ... argument does not escape
./main.go:4:1: leaking param: p
`
	want := []evidence.Escape{{File: "/m/p/main.go", Line: 18, Reason: "moved to heap: x"},
		{File: "/m/q/q.go", Line: 19, Reason: "append escapes to heap"},
		{File: "/abs/a.go", Line: 2, Reason: "new(T) escapes to heap"}}
	if got := parseEscapes("/m/p", said); !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
}

func TestBuildFlags(t *testing.T) {
	flags, rest, err := buildFlags(strings.Fields("-race -tags a,b -ldflags=-s ./x -n 3"))
	if err != nil || !slices.Equal(flags, []string{"-race", "-tags=a,b", "-ldflags=-s"}) ||
		!slices.Equal(rest, []string{"./x", "-n", "3"}) {
		t.Errorf("%q, %q, %v", flags, rest, err)
	}
	for _, wrong := range []string{"-exec gdb ./x", "-C dir ./x", "-tags"} {
		if _, _, err := buildFlags(strings.Fields(wrong)); err == nil {
			t.Errorf("go run %s is possible", wrong)
		}
	}
}

func TestParseTest(t *testing.T) {
	c, err := parseTest(strings.Fields("-race ./codec -bench=X/y -test.benchtime 2s -tags a -v -args -bench no"))
	if err != nil {
		t.Fatal(err)
	}
	if c.pkg != "./codec" || !slices.Equal(c.build, []string{"-race", "-tags=a"}) ||
		!slices.Equal(c.args, []string{"-bench", "no"}) {
		t.Errorf("%+v", c)
	}
	want := []string{"-test.paniconexit0", "-test.timeout=0", "-test.count=1", "-test.run=^$", "-test.bench=X/y",
		"-test.benchtime=2s", "-test.v=true"}
	if got := c.flags(); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if c, err := parseTest([]string{"./p"}); err != nil || strings.Contains(strings.Join(c.flags(), " "), "bench") {
		t.Errorf("tests run no benchmarks: %q, %v", c.flags(), err)
	}
	for args, want := range map[string]string{"./p -count=3 -timeout 5s": "-test.timeout=5s -test.count=3",
		"-bench . ./p":                     "-test.bench=. -test.benchtime=500ms",
		"-bench . -count 1 -vet off ./p":   "-test.timeout=0 -test.count=1",
		"-short=false -failfast -fullpath": "-test.short=false -test.failfast=true -test.fullpath=true"} {
		c, err := parseTest(strings.Fields(args))
		if got := strings.Join(c.flags(), " "); err != nil || !strings.Contains(got+" ", " "+want+" ") {
			t.Errorf("go test %s: %s, %v; want %s", args, got, err, want)
		}
	}
	for wrong, want := range map[string]string{"-cpuprofile x ./p": "asks for profiles itself",
		"-cpu 1,2 ./p": "leave out -cpu:", "-bench . -count 5 ./p": "leave out -count",
		"-coverprofile x ./p": "explain stores no coverage",
		"-json ./p":           "-json: explain runs tests and benchmarks", "./p ./q": "several packages",
		"-bench": "no value", "-exec x": "-exec is not possible"} {
		if _, err := parseTest(strings.Fields(wrong)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("go test %s: %v, want %s", wrong, err, want)
		}
	}
	for _, mode := range []string{"-list . ./p", "-fuzz=F ./p", "-fuzztime 9s ./p"} {
		if _, err := parseTest(strings.Fields(mode)); err == nil || !strings.Contains(err.Error(), "leave out -") {
			t.Errorf("go test %s: %v", mode, err)
		}
	}
}

func TestParseAfter(t *testing.T) {
	a, err := parseHookOutput("wall 1000\nmetric /x:y 2.5\nhistogram /h:s -Inf:1:1 1:3:2 3:+Inf:1\nend 7\n")
	if err != nil {
		t.Fatal(err)
	}
	// The middles of the buckets are 1, 2, 2 and 3.
	want := map[string]float64{"/x:y": 2.5, "/h:s count": 4, "/h:s sum": 8, "/h:s p50": 2, "/h:s p99": 3, "/h:s max": 3}
	if a.wall != 1000 || a.end != 7 || !reflect.DeepEqual(a.metrics, want) {
		t.Errorf("%+v", a)
	}
	for _, wrong := range []string{"wall x", "metric a b", "histogram h 1:2", "histogram h 1:2:x"} {
		if _, err := parseHookOutput(wrong); err == nil {
			t.Errorf("%q is read", wrong)
		}
	}
}

// FuzzHookOutput parses arbitrary hook output.
func FuzzHookOutput(f *testing.F) {
	f.Add("wall 1000\nmetric /x:y 2.5\nhistogram /h:s -Inf:1:1 1:3:2 3:+Inf:1\nend 7\n")
	f.Add("histogram h\nhistogram h 1:2:0")
	f.Fuzz(func(t *testing.T, text string) {
		if a, err := parseHookOutput(text); err == nil && a.metrics == nil {
			t.Error("no metrics")
		}
	})
}
