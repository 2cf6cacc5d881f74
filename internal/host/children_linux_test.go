package host

import (
	"os"
	"os/exec"
	"testing"

	"github.com/brewput/brewput/result"
)

// asChild makes the test binary a program that reads and works a little.
const asChild = "BREWPUT_TEST_CHILD"

const childReads = 5000

// TestChildren checks that the CPU time and the read calls of a child process count once it has ended.
func TestChildren(t *testing.T) {
	if os.Getenv(asChild) != "" {
		f, err := os.Open("/dev/zero")
		if err != nil {
			t.Fatal(err)
		}
		for range childReads {
			f.Read(make([]byte, 1))
		}
		return
	}
	var before, after Counters
	before.Read()
	cmd := exec.Command(os.Args[0], "-test.run=^TestChildren$")
	cmd.Env = append(os.Environ(), asChild+"=1")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	after.Read()
	m := after.Since(before)
	took := result.Value((cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds())
	if took <= 0 || m[result.CPUSeconds] < took*(1-1e-9) {
		t.Errorf("%v s of CPU time, and the child alone took %v", m[result.CPUSeconds], took)
	}
	if v := m["read_calls"]; v.Known() && v < childReads {
		t.Errorf("%v read calls, and the child alone made %d", v, childReads)
	}
}
