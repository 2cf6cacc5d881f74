package sum

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/env/live"
	"github.com/brewput/brewput/internal/seeded"
	"github.com/brewput/brewput/plan"
)

func TestMain(m *testing.M) {
	seeded.Fix()
	m.Run()
}

// TestAdders checks that all adders agree with plain on any numbers, including those whose sum wraps.
func TestAdders(t *testing.T) {
	adders := map[string]adder{
		"unrolled": unrolled, "strided": strided, "wide": wide, "channel": channel, "sharedLine": sharedLine,
		"padded": padded, "atomic": atomic,
	}
	rapid.Check(t, func(t *rapid.T) {
		numbers, workers := rapid.SliceOfN(rapid.Int(), 0, 100).Draw(t, "numbers"),
			rapid.IntRange(1, 20).Draw(t, "workers")
		live.New(live.Config{}).Run("test", func(e env.Env) {
			want := sequential(e, numbers, 1)
			for name, add := range adders {
				if got := add(e, numbers, workers); got != want {
					t.Errorf("%s: %d instead of %d", name, got, want)
				}
			}
		})
	})
}

// TestDraw checks that the sum that draw returns is that of its numbers.
func TestDraw(t *testing.T) {
	for n := range 10 {
		live.New(live.Config{Seed: uint64(n)}).Run("test", func(e env.Env) {
			if numbers, sum := draw(e, n); len(numbers) != n || plain(numbers) != sum {
				t.Errorf("%d numbers with the sum %d: %v", n, sum, numbers)
			}
		})
	}
}

// TestCheck checks that one wrong sum among right ones is found.
func TestCheck(t *testing.T) {
	p := plan.NewPoint(plan.Setting{Factor: "n", Level: plan.IntLevel(8)},
		plan.Setting{Factor: "total", Level: plan.IntLevel(80)})
	live.New(live.Config{}).Run("test", func(e env.Env) {
		calls := 0
		j, err := adding(e, p, func(e env.Env, numbers []int, workers int) int {
			if calls++; calls == 3 {
				numbers = numbers[1:]
			}
			return sequential(e, numbers, workers)
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := j.Run(e); err != nil {
			t.Fatal(err)
		}
		if _, err := j.Check(); err == nil || !strings.Contains(err.Error(), "1 of 10 sums were wrong") {
			t.Errorf("%v", err)
		}
	})
}
