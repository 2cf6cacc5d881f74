package cli_test

import (
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"github.com/brewput/brewput/internal/store"
)

// TestKilledCommands kills a comparison of commands at seeded random fractions of its duration on this machine. No
// process may be left, not even one of the commands, --resume must finish, and every block must be there exactly once.
func TestKilledCommands(t *testing.T) {
	const kills, blocks = 12, 10
	compared := func(dir string) []string {
		return []string{"compare", "--count", "10", "-o", dir, "--", "sleep", "0.01", ":::", "sleep", "0.02"}
	}
	random := rand.New(rand.NewPCG(2, 2))
	whole, resumed := timeOf(t, compared(filepath.Join(t.TempDir(), "run"))), 0
	for i := range kills {
		dir := filepath.Join(t.TempDir(), "run")
		after := time.Duration((0.2 + 0.7*random.Float64()) * float64(whole))
		cmd, markOf := command(t, compared(dir)...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		killer := time.AfterFunc(after, func() { cmd.Process.Kill() })
		err := cmd.Wait()
		killer.Stop()
		wantNoOrphan(t, markOf)
		if err == nil {
			wantWhole(t, dir, blocks, 2) // the command ended before it was killed
			whole = min(whole, after)
			continue
		}
		args := []string{"compare", "--resume", dir}
		if _, err := store.Open(dir); err != nil {
			args = compared(dir) // killed before the run directory was made
		} else {
			resumed++
		}
		again, _ := command(t, args...)
		if out, err := again.CombinedOutput(); err != nil {
			t.Fatalf("kill %d after %v: %v: %v\n%s", i, after, args, err, out)
		}
		wantWhole(t, dir, blocks, 2)
	}
	if resumed < kills/4 {
		t.Errorf("only %d of %d kills hit a run under way: choose other instants", resumed, kills)
	}
}
