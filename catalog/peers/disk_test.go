package peers

import (
	"testing"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/env/virtual"
)

// TestCrashIsIndependent checks that whether a peer stores a value in a crash depends on random numbers of its own: not
// on those of the skew of the clocks or of the faults, which have the stages 2 and 3.
func TestCrashIsIndependent(t *testing.T) {
	for number := range 4 { // and stage
		equal := 0
		for seed := range uint64(64) {
			err := virtual.New(virtual.Config{Seed: seed}).Run("test", func(e env.Env) {
				p := &peer{number: number, disk: disk{takes: time.Second, rand: e.Rand()},
					down: env.NewChan[struct{}](e, "", 0)}
				p.down.Close()
				if p.Store(e, 1) {
					t.Error("the peer does not crash")
				}
				if d := e.Rand().At(1, uint64(number)); (d.Float64() < 0.5) == (p.disk.value == 1) {
					equal++
				}
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		if equal == 64 {
			t.Errorf("peer %d stores a value in a crash as the random numbers of stage %d decide", number, number)
		}
	}
}
