package store

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/brewput/brewput/result"
)

// childEnv holds the directory of the run to write, in a child process of these tests.
const childEnv = "BREWPUT_STORE_TEST_CHILD"

// TestKill repeatedly kills a process while it writes a run. Every trial that it reported is there, and while
// it lived no other process could write.
func TestKill(t *testing.T) {
	if dir := os.Getenv(childEnv); dir != "" {
		appendForever(t, dir)
	}
	dir := filepath.Join(t.TempDir(), "run")
	r := get(Create(dir, header()))(t)
	must(t, r.Close())
	said := 0
	for kill := range 8 {
		cmd := exec.Command(os.Args[0], "-test.run=^TestKill$")
		cmd.Env = append(os.Environ(), childEnv+"="+dir)
		cmd.Stderr = os.Stderr
		out := get(cmd.StdoutPipe())(t)
		must(t, cmd.Start())
		lines := bufio.NewScanner(out)
		for n := 0; n < 1+7*kill && lines.Scan(); n++ {
			said++
		}
		if kill == 0 { // only once: the child continues meanwhile, and a long journal takes long to read
			_, _, err := Resume(dir)
			wantError(t, err, dir, "another process")
		}
		must(t, cmd.Process.Kill())
		for lines.Scan() { // it continued until the kill
			said++
		}
		cmd.Wait() // returns the kill

		r, j := get2(t)(Resume(dir)) // the kernel released the lock
		must(t, r.Close())
		// The child may have died between writing a trial and reporting it.
		if n := len(j.Trials); n < said || n > said+kill+1 {
			t.Fatalf("%d trials; the child said %d, over %d kills", n, said, kill+1)
		}
		for i, trial := range j.Trials {
			if trial.Order != i {
				t.Fatalf("trial %d is of order %d", i, trial.Order)
			}
		}
		histograms := 0
		for _, err := range j.Histograms() {
			must(t, err)
			histograms++
		}
		if histograms != len(j.Trials) {
			t.Fatalf("%d histograms of %d trials", histograms, len(j.Trials))
		}
	}
}

// appendForever continues the run with trials until the process is killed. It reports each trial on stdout, in
// one write.
func appendForever(t *testing.T, dir string) {
	r, j := get2(t)(Resume(dir))
	for order := len(j.Trials); ; order++ {
		must(t, r.Append(step{kind: result.KindTrial, order: order}.trial(), blob(5000)))
		get(os.Stdout.WriteString("appended\n"))(t)
	}
}
