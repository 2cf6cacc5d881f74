// Package plan describes an experiment: which factors are varied, over which levels, and in which order.
//
// A [Factor] is an input that is varied, such as the number of workers. A [Level] is one of its values. The levels of
// several factors span [Point] values, and a [Case] is a design at a point. A [Plan] runs every case once in each
// block, in random order (a randomized complete block design: Box, Hunter and Hunter, Statistics for Experimenters,
// 2005).
//
// The package is pure: it uses no clock, no files and no global randomness. Its values may be used by several
// goroutines at once, as long as none changes them.
package plan

import (
	"fmt"
	"math/bits"
	"slices"
)

// MaxPoints is the largest number of points that [Points] returns.
const MaxPoints = 100_000

// Points returns the full factorial design of the choices: every combination of the factors' levels. The first factor
// varies slowest. A factor without a choice has its default level, and is absent if it has no default. A factor that
// follows another one has the same level as that factor.
//
// Points recasts and checks every level. It returns an error if a choice names no factor, if a level is out of range,
// or if there are more than [MaxPoints] points.
func Points(factors []Factor, choices map[string]Choice) ([]Point, error) {
	if err := checkNames(factors, choices); err != nil {
		return nil, err
	}

	var axes []axis
	total := 1
	for i, f := range factors {
		a, absent, err := newAxis(f, factors[:i], choices, axes)
		if err != nil {
			return nil, err
		}
		if absent {
			continue
		}
		axes = append(axes, a)
		if a.follow < 0 {
			total *= len(a.levels) // no overflow: total is at most MaxPoints, and there are at most MaxLevels levels
		}
		if total > MaxPoints {
			return nil, fmt.Errorf("the levels of %s and of the factors before it span more than %d "+
				"points; give fewer levels", f.Name, MaxPoints)
		}
	}
	return product(axes, total)
}

// axis is a factor with its levels, or with the axis that it follows.
type axis struct {
	factor Factor
	levels []Level
	follow int // index of the axis that it follows; -1 if none
}

// checkNames returns an error if a choice is for a factor that does not exist.
func checkNames(factors []Factor, choices map[string]Choice) error {
	var names []string
	for _, f := range factors {
		names = append(names, f.Name)
	}
	var unknown []string
	for name := range choices {
		if !slices.Contains(names, name) {
			unknown = append(unknown, name)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	name := slices.Min(unknown) // the order of a map is random, and the message should not be
	return fmt.Errorf("there is no factor %q%s", name, didYouMean(name, names))
}

// newAxis returns the axis of f. The factors before f are earlier, and axes are those of them that are present.
func newAxis(f Factor, earlier []Factor, choices map[string]Choice, axes []axis) (a axis, absent bool, err error) {
	c, given := choices[f.Name]
	if !given {
		if f.Default == "" {
			return axis{}, true, nil
		}
		var names []string
		for _, e := range earlier {
			names = append(names, e.Name)
		}
		if c, err = f.parse(f.Default, names); err != nil {
			return axis{}, false, fmt.Errorf("factor %s: default %q: %w", f.Name, f.Default, err)
		}
	}

	a = axis{factor: f, follow: -1}
	if c.Follow != "" {
		a.follow = slices.IndexFunc(axes, func(o axis) bool { return o.factor.Name == c.Follow })
		if a.follow < 0 {
			return axis{}, false, cannotFollow(f.Name, c.Follow, earlier)
		}
		return a, false, nil
	}

	if len(c.Levels) == 0 {
		return axis{}, false, &Refusal{Field: f.Name, Reason: "there is no level; give " + f.example()}
	}
	for _, l := range c.Levels {
		if l, err = f.Recast(l); err != nil {
			return axis{}, false, err
		}
		a.levels = append(a.levels, l)
	}
	return a, false, nil
}

// cannotFollow returns the error of a factor that follows one that is absent or does not come before it.
func cannotFollow(name, follow string, earlier []Factor) error {
	if slices.ContainsFunc(earlier, func(e Factor) bool { return e.Name == follow }) {
		return fmt.Errorf("factor %s follows %s, which has no level; give %s a level as well", name, follow,
			follow)
	}
	return fmt.Errorf("factor %s follows %s, which is not a factor before it; follow an earlier one or give levels",
		name, follow)
}

// product returns all combinations of the axes' levels. It counts like an odometer: the last axis varies fastest.
func product(axes []axis, total int) ([]Point, error) {
	points := make([]Point, 0, total)
	index := make([]int, len(axes)) // of the current level of each axis
	for range total {
		settings := make([]Setting, len(axes))
		for i, a := range axes {
			if a.follow < 0 {
				settings[i] = Setting{a.factor.Name, a.levels[index[i]]}
				continue
			}
			// The followed axis comes before this one, so its setting is known.
			l, err := a.factor.Recast(settings[a.follow].Level)
			if err != nil {
				return nil, fmt.Errorf("%s follows %s: %w", a.factor.Name, axes[a.follow].factor.Name, err)
			}
			settings[i] = Setting{a.factor.Name, l}
		}
		points = append(points, Point{settings})

		for i := len(axes) - 1; i >= 0; i-- {
			if axes[i].follow >= 0 {
				continue
			}
			if index[i]++; index[i] < len(axes[i].levels) {
				break
			}
			index[i] = 0
		}
	}
	return points, nil
}

// Case is a design at a point. A block runs each case once.
type Case struct {
	Design string `json:"design"` // name of the design
	Point  Point  `json:"point"`
}

// Cases returns the distinct cases of the designs, design by design in the order of the points. The point of a case
// contains only the factors that factorsOf returns for its design.
func Cases(designs []string, factorsOf func(design string) []string, points []Point) []Case {
	var cases []Case
	for _, d := range designs {
		uses := factorsOf(d)
		seen := map[string]bool{}
		for _, p := range points {
			p = p.Only(uses)
			if id := p.String(); !seen[id] {
				seen[id] = true
				cases = append(cases, Case{d, p})
			}
		}
	}
	return cases
}

// Plan is a randomized complete block design: every case once in each block, in an order that the seed determines.
type Plan struct {
	Seed         uint64
	Blocks       int // number of blocks
	Cases        []Case
	Instrumented bool // each block also has an instrumented trial of each case
}

// Step is a trial of a block.
type Step struct {
	Case         int // index into the plan's Cases
	Instrumented bool
	Block        int // number of the block, from 0
	Order        int // position within the block, from 0
}

// Block returns the steps of block b, from 0, in the order of execution. The order depends only on the seed, on b, on
// the number of cases and on Instrumented. A sweep can therefore be resumed and extended at any block, on any machine.
func (p Plan) Block(b int) []Step {
	steps := make([]Step, 0, 2*len(p.Cases))
	for i := range p.Cases {
		steps = append(steps, Step{Case: i, Block: b})
		if p.Instrumented {
			steps = append(steps, Step{Case: i, Block: b, Instrumented: true})
		}
	}
	shuffle(steps, mix(mix(p.Seed)^uint64(b)))
	return numbered(steps)
}

// BlockOf returns the steps of block b for some of the cases, given by index. They keep their relative order in the
// whole block, so every order of them is equally likely too.
func (p Plan) BlockOf(b int, cases []int) []Step {
	steps := slices.DeleteFunc(p.Block(b), func(s Step) bool { return !slices.Contains(cases, s.Case) })
	return numbered(steps)
}

// numbered sets the position of each step.
func numbered(steps []Step) []Step {
	for i := range steps {
		steps[i].Order = i
	}
	return steps
}

// BlockSeed returns the seed of all trials of block b, from 0. All designs of a block serve the same requests (common
// random numbers). Other blocks, and sweeps with another seed, serve other requests. Block 0 has the seed of the sweep,
// so a sweep of one block with the seed of any trial repeats that trial.
func (p Plan) BlockSeed(b int) uint64 {
	if b == 0 {
		return p.Seed
	}
	return mix(mix(p.Seed) + uint64(b)*golden)
}

// PilotSeed returns the seed of the pilot trials of a round, from 0. Pilots run before a sweep and choose its settings,
// such as the warm-up. The seed does not depend on the sweep's seed, so sweeps that differ only in seed have the same
// settings.
func PilotSeed(round int) uint64 { return mix(mix(pilots) + uint64(round)*golden) }

const (
	golden = 0x9e3779b97f4a7c15 // 2^64 / the golden ratio, the increment of SplitMix64
	pilots = 0x70696c6f74       // makes seeds of pilots differ from those of blocks for any likely seed
)

// shuffle permutes the steps; every order is equally likely (Fisher and Yates; Durstenfeld, CACM 7(7), 1964). The nth
// draw is a function of (key, n).
func shuffle(steps []Step, key uint64) {
	n := uint64(0)
	draw := func() uint64 {
		n++
		return mix(key + n*golden)
	}
	for i := len(steps) - 1; i > 0; i-- {
		j := below(uint64(i+1), draw)
		steps[i], steps[j] = steps[j], steps[i]
	}
}

// below returns a uniform random number in [0, n), n > 0 (Lemire: Fast random integer generation in an interval, ACM
// TOMACS 29(1), 2019).
func below(n uint64, draw func() uint64) uint64 {
	hi, lo := bits.Mul64(draw(), n)
	if lo < n {
		for floor := -n % n; lo < floor; {
			hi, lo = bits.Mul64(draw(), n)
		}
	}
	return hi
}

// mix is the finalizer of SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number
// generators, OOPSLA 2014), a bijection of 64 bits.
func mix(z uint64) uint64 {
	z += 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
