package gobench

import (
	"strings"
	"testing"
)

const (
	// hung is an abbreviated dump of SIGQUIT.
	hung = `goos: linux
goarch: amd64
pkg: example.com/p
cpu: Some CPU
BenchmarkHangs
SIGQUIT: quit
PC=0x47a2a1 m=0 sigcode=0

goroutine 0 gp=0x6e3be0 m=0 mp=0x6e4a80 [idle]:
runtime.futex(0x6e4bc0, 0x80, 0x0, 0x0, 0x0, 0x0)
	/go/src/runtime/sys_linux_amd64.s:558 +0x21 fp=0x7ffc sp=0x7ff0 pc=0x47a2a1

goroutine 1 gp=0xc0000061c0 m=nil [chan receive]:
runtime.gopark(0x1?, 0x2?, 0x3?, 0x4?, 0x5?)
	/go/src/runtime/proc.go:435 +0xce
testing.(*B).run1(0xc000130008)
	/go/src/testing/benchmark.go:245 +0xa5
main.main()
	_testmain.go:49 +0x9b

goroutine 2 gp=0xc000006700 m=nil [force gc (idle)]:
runtime.gopark(0x0?, 0x0?, 0x0?, 0x0?, 0x0?)
	/go/src/runtime/proc.go:435 +0xce
runtime.forcegchelper()
	/go/src/runtime/proc.go:348 +0xb8
runtime.goexit({})
	/go/src/runtime/asm_amd64.s:1700 +0x1
created by runtime.init.7 in goroutine 1
	/go/src/runtime/proc.go:336 +0x1a

goroutine 35 gp=0xc000006a80 m=nil [sync.WaitGroup.Wait, 2 minutes]:
sync.runtime_SemacquireWaitGroup(0x0?, 0x60?)
	/go/src/runtime/sema.go:114 +0x2e
sync.(*WaitGroup).Wait(0xc000012340)
	/go/src/sync/waitgroup.go:206 +0x85
example.com/p.BenchmarkHangs(0xc000130008)
	/p/p_test.go:24 +0x45
testing.(*B).runN(0xc000130008, 0x1)
	/go/src/testing/benchmark.go:202 +0xea
created by testing.(*B).run1 in goroutine 1
	/go/src/testing/benchmark.go:235 +0x4e

rax    0xca
rbx    0x0
rflags 0x286
cs     0x33
`
	asleep = `fatal error: all goroutines are asleep - deadlock!

goroutine 1 [chan receive]:
testing.(*B).run1(0xc000130008)
	/go/src/testing/benchmark.go:245 +0xa5
main.main()
	_testmain.go:49 +0x9b

goroutine 6 [chan receive]:
example.com/p.BenchmarkHangs(0xc000130008)
	/p/p_test.go:24 +0x45
`
	sour = `panic: sour

goroutine 6 [running]:
example.com/p.BenchmarkPanics(0xc000130008)
	/p/p_test.go:9 +0x25
`
)

// TestTail checks that the reason and the program's stack are kept of a dump, without registers.
func TestTail(t *testing.T) {
	numbered := strings.Repeat("line\n", 30)
	for _, c := range []struct {
		name, text, begins, holds string
		lines                     int
	}{
		{"a text", "first\n" + numbered, "line\n", "line", 20},
		{"hung", hung, "BenchmarkHangs\nSIGQUIT: quit\nPC=0x47a2a1 m=0 sigcode=0\n\ngoroutine 35 gp=0xc000006a80 " +
			"m=nil [sync.WaitGroup.Wait, 2 minutes]:\n", "p.BenchmarkHangs(0xc000130008)\n\t/p/p_test.go:24", 15},
		{"a deadlock", numbered + asleep, "line\nline\nfatal error: all goroutines are asleep - " +
			"deadlock!\n\ngoroutine 6 [chan receive]:\nexample.com/p.BenchmarkHangs", "p_test.go:24", 7},
		{"a panic deep down", sour + strings.Repeat("example.com/p.f()\n\t/p/p.go:1 +0x1\n", 30),
			"panic: sour\n\ngoroutine 6 [running]:\nexample.com/p.BenchmarkPanics", "p_test.go:9", 20},
		{"nothing of the program's",
			"goroutine 1 [chan receive]:\ntesting.(*B).run1(0x1)\n\t/go/src/testing/benchmark.go:245 +0xa5\n",
			"goroutine 1 ", "run1", 3},
	} {
		got := tail(c.text)
		if n := strings.Count(got, "\n") + 1; !strings.HasPrefix(got, c.begins) || !strings.Contains(got, c.holds) ||
			strings.Contains(got, "rax") || n != c.lines {
			t.Errorf("%s: %d lines, want %d, that begin with %q and hold %q:\n%s", c.name, n, c.lines, c.begins,
				c.holds, got)
		}
	}
}

// TestCauseText checks that the cause is a line of the program, not one that package testing prints for every
// benchmark.
func TestCauseText(t *testing.T) {
	const testings = "goos: linux\ngoarch: amd64\npkg: example.com/p\ncpu: Some CPU\n=== RUN   " +
		"BenchmarkX\nBenchmarkX\nBenchmarkX-2\nBenchmarkX \t 7\t 2 ns/op\n--- FAIL: BenchmarkX\nFAIL\n"
	for _, c := range []struct{ text, want string }{
		{"", "; it printed no reason"},
		{testings, "; it printed no reason"},
		{"\n" + testings + "no milk\n", ": no milk"},
		{testings + "BenchmarkX cannot begin\n", ": BenchmarkX cannot begin"},
		{testings + "    x_test.go:7: no milk\n", ": x_test.go:7: no milk"},
		{"heating\npanic: the milk is sour\n" + testings, ": panic: the milk is sour"},
		{"heating\n" + asleep, ": fatal error: all goroutines are asleep - deadlock!"},
	} {
		if got := causeText(c.text); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
	// an incomplete line does not hide the panic after it
	for _, stdout := range []string{"heating", "heating\n"} {
		if got := (testRun{stdout: stdout, stderr: sour}).printed(); got != "heating\n"+sour {
			t.Errorf("%q: %q", stdout, got)
		}
	}
}
