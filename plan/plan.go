package plan

import (
	"fmt"
	"math/bits"
	"slices"
)

// MaxPoints is the largest number of points of a sweep.
const MaxPoints = 100_000

// Points are the points that the choices span: the full product of the factors' levels, in which the
// first factor varies slowest. A factor without a choice has its default; without a default either it
// is absent. A factor that follows another has that one's level. Levels are recast and checked.
func Points(factors []Factor, choices map[string]Choice) ([]Point, error) {
	if err := known(factors, choices); err != nil {
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
			total *= len(a.levels) // both are at most 100,000, so that it does not overflow
		}
		if total > MaxPoints {
			return nil, fmt.Errorf("the levels of %s and of the factors before it span more than %d "+
				"points; give fewer levels", f.Name, MaxPoints)
		}
	}
	return product(axes, total)
}

// axis is one factor with its levels, or with the index of the axis that it follows.
type axis struct {
	factor Factor
	levels []Level
	follow int // -1: none
}

func known(factors []Factor, choices map[string]Choice) error {
	var names []string
	for _, f := range factors {
		names = append(names, f.Name)
	}
	var strangers []string
	for name := range choices {
		if !slices.Contains(names, name) {
			strangers = append(strangers, name)
		}
	}
	if len(strangers) == 0 {
		return nil
	}
	name := slices.Min(strangers) // the same message each time
	return fmt.Errorf("there is no factor %q%s", name, didYouMean(name, names))
}

// newAxis decides the levels of f, which comes after the factors earlier, of which axes are present.
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
		return axis{}, false, &LevelError{Factor: f.Name, Reason: "there is no level; give " + f.example()}
	}
	for _, l := range c.Levels {
		if l, err = f.Recast(l); err != nil {
			return axis{}, false, err
		}
		a.levels = append(a.levels, l)
	}
	return a, false, nil
}

func cannotFollow(name, follow string, earlier []Factor) error {
	if slices.ContainsFunc(earlier, func(e Factor) bool { return e.Name == follow }) {
		return fmt.Errorf("factor %s follows %s, which has no level; give %s a level as well", name, follow,
			follow)
	}
	return fmt.Errorf("factor %s follows %s, which is not a factor before it; follow an earlier one or give levels",
		name, follow)
}

// product counts through the axes as an odometer does, the last one fastest.
func product(axes []axis, total int) ([]Point, error) {
	points := make([]Point, 0, total)
	place := make([]int, len(axes))
	for range total {
		settings := make([]Setting, len(axes))
		for i, a := range axes {
			if a.follow < 0 {
				settings[i] = Setting{a.factor.Name, a.levels[place[i]]}
				continue
			}
			// The followed axis comes first and is settled, a follower itself or not.
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
			if place[i]++; place[i] < len(axes[i].levels) {
				break
			}
			place[i] = 0
		}
	}
	return points, nil
}

// Case is one design at one point: what a block visits once.
type Case struct {
	Design string `json:"design"`
	Point  Point  `json:"point"`
}

// Cases are the distinct cases of the designs, design by design in the order of the points. A case's
// point holds only the factors that factorsOf names for its design.
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

// Plan is a sweep before it is executed: every case once in each block, in an order that is random
// and yet the same for the same seed.
type Plan struct {
	Seed         uint64
	Blocks       int
	Cases        []Case
	Instrumented bool // each case has an observed trial in each block as well
}

// Step is one trial of a block.
type Step struct {
	Case         int // index into the plan's Cases
	Instrumented bool
	Block, Order int // Order is the place within the block, from 0
}

// Block is the order of block b. It depends on the seed, on b and on the number of cases only, so
// that a sweep can be resumed, and lengthened, in any block and on any machine.
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

// BlockOf is the order of block b where it holds some of the cases only: that of the whole block without
// the others, so that every order of those that remain is equally likely too.
func (p Plan) BlockOf(b int, cases []int) []Step {
	steps := slices.DeleteFunc(p.Block(b), func(s Step) bool { return !slices.Contains(cases, s.Case) })
	return numbered(steps)
}

// numbered gives each step its place.
func numbered(steps []Step) []Step {
	for i := range steps {
		steps[i].Order = i
	}
	return steps
}

// BlockSeed is the seed of all trials of block b, from 0: its designs serve the same customers, and those of another
// block, or of a sweep with another seed, serve others. Block 0 has the sweep's own seed, so that the seed of
// any trial, given to a sweep of one block, repeats that trial.
func (p Plan) BlockSeed(b int) uint64 {
	if b == 0 {
		return p.Seed
	}
	return mix(mix(p.Seed) + uint64(b)*golden)
}

// PilotSeed is the seed of the trials of a round, from 0, that are run before a sweep and choose its settings: warm-up,
// capacity. It does not depend on the sweep's seed, so that sweeps that differ in seed alone have the same settings.
func PilotSeed(round int) uint64 { return mix(mix(pilots) + uint64(round)*golden) }

const (
	golden = 0x9e3779b97f4a7c15 // 2^64 / the golden ratio, the increment of SplitMix64
	pilots = 0x70696c6f74       // sets pilots apart from the blocks of any likely seed
)

// shuffle makes every order equally likely (Fisher and Yates; Durstenfeld, CACM 7(7), 1964). The nth
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

// below is uniform in [0, n), n > 0 (Lemire: Fast random integer generation in an interval, ACM TOMACS
// 29(1), 2019).
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
