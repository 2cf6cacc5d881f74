package coffee

import (
	"fmt"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// A stage is a bit of an order's done and the key of its random draw.
type stage uint64

const (
	ground stage = 1 << iota
	pressed
	steamed
	served
)

// The drinks: which stages an order must have gone through.
const (
	aLatte       = ground | pressed | steamed | served
	anAmericano  = ground | pressed | served
	justEspresso = ground | pressed
)

// order is one customer's order. It is handed from goroutine to goroutine and never shared, except
// that the milk of a latte may be steamed at the same time: it has a word of its own.
type order struct {
	request uint64
	done    stage
	milk    stage
}

// times are the mean times of the stages.
type times struct{ grind, press, steam, latte time.Duration }

// timesOf reads the stage times of a point: each stage's own factor, else the common one.
func timesOf(p plan.Point) times {
	of := func(factor string) time.Duration {
		if p.Has(factor) {
			return p.Duration(factor)
		}
		return p.Duration("stage")
	}
	return times{of("grind"), of("press"), of("steam"), of("latte")}
}

// shop is what all designs share: what is made of which stages, how long those take, and the count of what went wrong.
type shop struct {
	recipe
	drink  stage
	spoilt *env.Atomic[int64] // orders served with a stage missing
}

func newShop(e env.Env, p plan.Point, drink stage) (*shop, error) {
	r, err := newRecipe(p)
	return &shop{recipe: r, drink: drink, spoilt: env.NewAtomic[int64](e, "spoilt")}, err
}

// recipe is how long the stages take.
type recipe struct {
	times
	dist   string
	cv     float64
	jitter time.Duration
}

func newRecipe(p plan.Point) (recipe, error) {
	if err := check(p); err != nil {
		return recipe{}, err
	}
	dist, cv, err := parseDist(p)
	return recipe{times: timesOf(p), dist: dist, cv: cv, jitter: p.Duration("jitter")}, err
}

// mean is the mean time of a stage on a machine.
func (t *times) mean(st stage) time.Duration {
	switch st {
	case ground:
		return t.grind
	case pressed:
		return t.press
	}
	return t.steam
}

// fixed reports whether a machine takes the same time for every request.
func (s *recipe) fixed() bool { return s.dist == "fixed" }

// draw is how long the machine takes for this request: the same for every design.
func (s *recipe) draw(r env.Rand, request uint64, st stage, mean time.Duration) time.Duration {
	d := r.At(request, uint64(st))
	switch s.dist {
	case "uniform":
		return mean + time.Duration((d.Float64()-0.5)*float64(s.jitter))
	case "exponential":
		return time.Duration(float64(mean) * d.Exp())
	default:
		return time.Duration(d.LogNormal(float64(mean), s.cv))
	}
}

// use burns on the machine. Whoever calls it must have the machine for himself.
func (s *shop) use(e env.Env, machine *env.Station, o *order, st stage) {
	e.For(o.request)
	machine.Enter()
	d := s.mean(st)
	if !s.fixed() { // else nobody asks for draws
		d = s.draw(e.Rand(), o.request, st, d)
	}
	e.Burn(d)
	machine.Leave()
}

func (s *shop) grind(e env.Env, grinder *env.Station, o *order) {
	s.use(e, grinder, o, ground)
	o.done |= ground
}

func (s *shop) press(e env.Env, press *env.Station, o *order) {
	s.use(e, press, o, pressed)
	if o.done&ground != 0 { // nothing comes out of an empty filter
		o.done |= pressed
	}
}

func (s *shop) steam(e env.Env, steamer *env.Station, o *order) {
	s.use(e, steamer, o, steamed)
	o.milk = steamed
}

// serve puts the drink together and checks that nothing is missing.
func (s *shop) serve(e env.Env, o *order) {
	e.For(o.request)
	if s.drink&served != 0 {
		e.Burn(s.latte)
		o.done |= served
	}
	if o.done|o.milk != s.drink {
		s.spoilt.Add(1)
	}
}

// kitchen is a set of machines, one of each kind.
type kitchen struct{ grinder, press, steamer *env.Station }

func newKitchen(e env.Env) kitchen {
	return kitchen{e.Station("grinder"), e.Station("press"), e.Station("steamer")}
}

// audit is the check of a stream: no order spoilt, and each kind of machine used once for each order
// that needs it.
func (s *shop) audit(kitchens ...kitchen) func(uint64) (workload.Answer, error) {
	return func(operations uint64) (workload.Answer, error) {
		if n := s.spoilt.Load(); n > 0 {
			return nil, fmt.Errorf("%d of %d orders were served with a stage missing", n, operations)
		}
		var grinds, presses, steams uint64
		for _, k := range kitchens {
			grinds += k.grinder.Uses()
			presses += k.press.Uses()
			steams += k.steamer.Uses()
		}
		steamsDue := uint64(0)
		if s.drink&steamed != 0 {
			steamsDue = operations
		}
		if len(kitchens) > 0 && (grinds != operations || presses != operations || steams != steamsDue) {
			return nil, fmt.Errorf("%d orders took %d grinds, %d presses and %d steams", operations, grinds, presses,
				steams)
		}
		return workload.Answer{"orders": operations}, nil
	}
}
