package live

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestRaceDetector runs programs of env under the race detector: it must report those that are
// wrong, although no two of their goroutines ever meet, and no other.
func TestRaceDetector(t *testing.T) {
	program := buildRace(t)
	for _, c := range []struct {
		name string
		race string // a function in the report; empty if there must be none
	}{
		{"station", "(*Station).Enter"},
		{"spawned", "(*Station).Enter"},
		{"mutex", ""},
		{"parent", "Env.own"},
		{"now", "Env.own"},
		{"join", ""},
		{"correct", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			cmd := exec.Command(program, c.name)
			cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0") // and nothing that the caller has in it
			out, err := cmd.CombinedOutput()
			if !strings.Contains(string(out), "violations: 0") {
				t.Errorf("users met, so the program tries something else:\n%s", out)
			}
			reported := strings.Contains(string(out), "WARNING: DATA RACE")
			switch {
			case c.race == "" && (reported || err != nil):
				t.Errorf("a correct program is reported: %v\n%s", err, out)
			case c.race != "" && (!reported || err == nil || !strings.Contains(string(out), c.race)):
				t.Errorf("the race in %s is not reported: %v\n%s", c.race, err, out)
			}
		})
	}
}

func buildRace(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "env", "CGO_ENABLED", "CC").Output()
	if err != nil {
		t.Skipf("the race detector needs the go command to build a program: %v", err)
	}
	vars := strings.Split(strings.TrimSpace(string(out)), "\n")
	if vars[0] != "1" {
		t.Skip("the race detector needs cgo: CGO_ENABLED is " + vars[0])
	}
	if cc := strings.Fields(vars[len(vars)-1]); len(vars) < 2 || len(cc) == 0 {
		t.Skip("the race detector needs a C compiler: CC is empty")
	} else if _, err := exec.LookPath(cc[0]); err != nil {
		t.Skipf("the race detector needs a C compiler: %v", err)
	}
	program := filepath.Join(t.TempDir(), "race.exe")
	if out, err := exec.Command("go", "build", "-race", "-o", program, "./testdata/race").CombinedOutput(); err != nil {
		if strings.Contains(string(out), "-race is not supported") ||
			strings.Contains(string(out), "-race is only supported") {
			t.Skipf("no race detector here: %s", out)
		}
		t.Fatalf("go build -race: %v\n%s", err, out)
	}
	return program
}
