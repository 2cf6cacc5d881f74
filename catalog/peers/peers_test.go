package peers

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/env/virtual"
	"github.com/brewput/brewput/internal/seeded"
	"github.com/brewput/brewput/internal/workloadtest"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/sim"
	"github.com/brewput/brewput/workload"
)

func TestMain(m *testing.M) {
	seeded.Fix()
	os.Exit(m.Run())
}

// simulate runs a design in virtual time.
func simulate(t workloadtest.T, design string, seed uint64, settings ...string) result.Trial {
	d, ok := Workload().Find(design)
	if !ok {
		t.Fatal("no design", design)
	}
	return simulateDesign(t, d, seed, settings...)
}

func simulateDesign(t workloadtest.T, d workload.Design, seed uint64, settings ...string) result.Trial {
	w := Workload()
	return workloadtest.Virtual(w, d, workloadtest.Point(t, w, settings...), seed, sim.Costs{})
}

// TestPeers checks random systems of 3 to 7 peers: no identity is issued twice, and those of a client increase.
func TestPeers(t *testing.T) {
	if err := Workload().Validate(); err != nil {
		t.Fatal(err)
	}
	for _, design := range []string{"interleaved", "leased"} {
		rapid.Check(t, func(t *rapid.T) {
			n := func(name string, from, to int) string {
				return fmt.Sprintf("%s=%d", name, rapid.IntRange(from, to).Draw(t, name))
			}
			x := simulate(t, design, rapid.Uint64().Draw(t, "seed"), n("peers", 3, 7), n("clients", 1, 9),
				n("identities", 1, 60), n("faults", 0, 20), n("lease", 1, 30), n("cpus", 1, 4),
				fmt.Sprintf("drift=%v", rapid.Float64Range(0, 0.9).Draw(t, "drift")),
				"loss="+rapid.SampledFrom([]string{"0", "0.02", "0.3"}).Draw(t, "loss"),
				"store="+rapid.SampledFrom([]string{"0s", "200us", "5ms", "30ms"}).Draw(t, "store"),
				"latency="+rapid.SampledFrom([]string{"100us", "1ms", "40ms"}).Draw(t, "latency"))
			if !x.Good() {
				t.Fatalf("%s: %s %s", design, x.Status, x.Error)
			}
		})
	}
}

// TestManyFaults checks both protocols through 1000 partitions and crashes. Ends of partitions, and divisions that
// separate no peers, do not count.
func TestManyFaults(t *testing.T) {
	for _, design := range []string{"interleaved", "leased"} {
		x := simulate(t, design, 1, "peers=5", "faults=1650", "identities=8000", "loss=0.05")
		partitions, crashes := x.Metrics.Get("partitions"), x.Metrics.Get("crashes")
		if !x.Good() || partitions < 450 || crashes < 450 || partitions+crashes < 1000 {
			t.Errorf("%s: %v partitions and %v crashes: %s %s", design, partitions, crashes, x.Status, x.Error)
		}
	}
}

// TestDivide checks that only a division that separates peers which reached each other is a partition.
func TestDivide(t *testing.T) {
	w := Workload()
	err := virtual.New(virtual.Config{}).Run("test", func(e env.Env) {
		n := newNetwork(e, workloadtest.Point(t, w, "peers=3 clients=1"))
		for _, c := range []struct {
			sides string // of the peers
			cut   bool
		}{{"aaa", false}, {"bbb", false}, {"aab", true}, {"aab", false}, {"bba", false}, {"abb", true},
			{"aaa", false}} {
			if cut := n.divide(func(peer int) bool { return c.sides[peer] == 'a' }); cut != c.cut {
				t.Errorf("%s: a partition: %v", c.sides, cut)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestJumpBreaks checks that peers that jump to the largest known identity issue some twice.
func TestJumpBreaks(t *testing.T) {
	x := simulate(t, "jump", 1)
	if x.Status != result.Wrong || !strings.Contains(x.Error, "was issued twice, by peers") {
		t.Errorf("%s %s", x.Status, x.Error)
	}
}
