package sort

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/env/live"
	"github.com/brewput/brewput/env/virtual"
	"github.com/brewput/brewput/internal/seeded"
	"github.com/brewput/brewput/plan"
)

func TestMain(m *testing.M) {
	seeded.Fix()
	m.Run()
}

func numbers() *rapid.Generator[[]int] {
	return rapid.OneOf(rapid.SliceOfN(rapid.Int(), 0, 200), rapid.SliceOfN(rapid.IntRange(0, 3), 0, 200))
}

// TestPieces checks that the parts of designs sort any numbers.
func TestPieces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		given, k := numbers().Draw(t, "numbers"), rapid.IntRange(1, 250).Draw(t, "chunks")
		sortsAll(t, given, k)
	})
}

func FuzzJoin(f *testing.F) {
	f.Add([]byte{3, 1, 2, 2, 0, 255}, uint8(3))
	f.Fuzz(func(t *testing.T, bytes []byte, k uint8) {
		var given []int
		for _, b := range bytes[:min(len(bytes), 500)] {
			given = append(given, int(b))
		}
		sortsAll(t, given, int(k)+1)
	})
}

func sortsAll(t interface{ Fatalf(string, ...any) }, given []int, k int) {
	want := slices.Sorted(slices.Values(given))
	bubbled := slices.Clone(given)
	if bubble(bubbled); !slices.Equal(bubbled, want) {
		t.Fatalf("bubble makes %v of %v", bubbled, given)
	}
	carried := slices.Clone(given)
	if carry(carried); !slices.Equal(carried, want) {
		t.Fatalf("carry makes %v of %v", carried, given)
	}
	chunks := sortedChunks(given, k)
	if join(chunks, k); !slices.Equal(chunks, want) {
		t.Fatalf("join makes %v of %v in %d chunks", chunks, given, k)
	}
}

// TestRates checks that each try has new numbers, that it sorts unsorted pieces and joins sorted ones, and that their
// times become the right rates.
func TestRates(t *testing.T) {
	err := virtual.New(virtual.Config{Sections: &bills{sort: 3 * time.Millisecond, join: 5 * time.Millisecond}}).Run(
		"test", func(e env.Env) {
			job, seen := draw(e, 0, 10, "random"), map[int]bool{}
			look := func(numbers []int) (inOrder bool) {
				if len(numbers) != sample || slices.Contains(numbers, job[0]) {
					t.Errorf("%d numbers, or those of the job", len(numbers))
				}
				seen[slices.Max(numbers)] = true
				inOrder = true
				for i := range pieces {
					inOrder = inOrder && slices.IsSorted(evenly(numbers, i, pieces))
				}
				return inOrder
			}
			square, merge := rates(e, "random", func(numbers []int) {
				if look(numbers) {
					t.Error("numbers in order are sorted")
				}
				if carryPieces(numbers); !look(numbers) || slices.IsSorted(numbers) {
					t.Error("what is sorted is no pieces")
				}
			}, func(numbers []int) {
				if !look(numbers) || slices.IsSorted(numbers) {
					t.Error("what is joined is no pieces in order")
				}
				if joinPieces(numbers); !slices.IsSorted(numbers) {
					t.Error("pieces are not joined")
				}
			})
			if len(seen) != tries {
				t.Errorf("%d different samples in %d tries", len(seen), tries)
			}
			// 16 pieces of 64 numbers are a 16th of the square of 1024, and are joined in 4 rounds.
			if square != 0.003*16/(1024*1024) || merge != 0.005/(1024*4) {
				t.Errorf("%v for a square, %v for a number and bit", square, merge)
			}
		})
	if err != nil {
		t.Error(err)
	}
}

// bills are the costs of sections: those that sort, and then those that join.
type bills struct {
	sort, join time.Duration
	n          int
}

func (b *bills) Begin() error { return nil }
func (b *bills) Drop()        {}

func (b *bills) End(virtual.Code) (time.Duration, error) {
	cost := b.join
	if b.n++; b.n <= tries {
		cost = b.sort
	}
	if b.n%tries != 3 { // the least counts
		cost += time.Millisecond
	}
	return cost, nil
}

// TestEvenly checks that chunks cover all numbers, and that their lengths differ by at most 1.
func TestEvenly(t *testing.T) {
	for n := range 30 {
		given := make([]int, n)
		for k := 1; k < 40; k++ {
			all := 0
			for i := range k {
				c := len(evenly(given, i, k))
				if all += c; c < n/k || c > n/k+1 {
					t.Errorf("chunk %d of %d has %d numbers of %d", i, k, c, n)
				}
			}
			if all != n {
				t.Errorf("%d chunks have %d numbers of %d", k, all, n)
			}
		}
	}
}

// TestCheck checks that numbers that are lost, duplicated or out of order are found.
func TestCheck(t *testing.T) {
	p := plan.NewPoint(plan.Setting{Factor: "n", Level: plan.IntLevel(20)},
		plan.Setting{Factor: "rounds", Level: plan.IntLevel(2)},
		plan.Setting{Factor: "given", Level: plan.TextLevel("random")})
	for name, s := range map[string]sorter{
		"nothing done": func(env.Env, plan.Point, []int) {},
		"one doubled":  func(_ env.Env, _ plan.Point, n []int) { slices.Sort(n); n[3] = n[4] },
		"one missing":  func(_ env.Env, _ plan.Point, n []int) { n[0] = -1; slices.Sort(n) },
	} {
		live.New(live.Config{}).Run("test", func(e env.Env) {
			j := job(e, p, s)
			if err := j.Run(e); err != nil {
				t.Fatal(err)
			}
			if _, err := j.Check(); err == nil || !strings.Contains(err.Error(), "of the sorted ones is") {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
}
