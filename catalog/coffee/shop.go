package coffee

import (
	"fmt"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// stage is a bit in the stages that an order has completed, and the key of the stage's random draw.
type stage uint64

// The stages.
const (
	ground stage = 1 << iota
	pressed
	steamed
	served
)

// The drinks, as the stages that an order must complete.
const (
	aLatte       = ground | pressed | steamed | served
	anAmericano  = ground | pressed | served
	justEspresso = ground | pressed
)

// order is the state of a request. One goroutine at a time owns it. Steaming may run in parallel with the other stages,
// so it has a field of its own.
type order struct {
	request uint64
	done    stage
	milk    stage
}

// times are the mean times of the stages.
type times struct{ grind, press, steam, latte time.Duration }

// timesOf returns the stage times of a point: that of the stage's own factor, or else the common one.
func timesOf(p plan.Point) times {
	of := func(factor string) time.Duration {
		if p.Has(factor) {
			return p.Duration(factor)
		}
		return p.Duration("stage")
	}
	return times{of("grind"), of("press"), of("steam"), of("latte")}
}

// shop is what all designs share: the drink, the times of its stages, and a count of failures.
type shop struct {
	recipe
	drink  stage
	spoilt *env.Atomic[int64] // orders served with a stage missing
}

func newShop(e env.Env, p plan.Point, drink stage) (*shop, error) {
	r, err := newRecipe(p)
	return &shop{recipe: r, drink: drink, spoilt: env.NewAtomic[int64](e, "spoilt")}, err
}

// recipe describes the times of the stages.
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

// mean returns the mean time of a machine stage.
func (t *times) mean(st stage) time.Duration {
	switch st {
	case ground:
		return t.grind
	case pressed:
		return t.press
	}
	return t.steam
}

// fixed reports whether a stage takes the same time for every request.
func (s *recipe) fixed() bool { return s.dist == "fixed" }

// draw returns the time of a machine stage for a request. It is the same for every design.
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

// use runs a stage on its machine. The caller must have exclusive use of the machine.
func (s *shop) use(e env.Env, machine *env.Station, o *order, st stage) {
	e.For(o.request)
	machine.Enter()
	d := s.mean(st)
	if !s.fixed() { // Rand is only needed here
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
	if o.done&ground != 0 { // pressing without grinding yields nothing
		o.done |= pressed
	}
}

func (s *shop) steam(e env.Env, steamer *env.Station, o *order) {
	s.use(e, steamer, o, steamed)
	o.milk = steamed
}

// serve runs the latte stage, if the drink has it, and checks that no stage is missing.
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

// kitchen is one machine of each kind.
type kitchen struct{ grinder, press, steamer *env.Station }

func newKitchen(e env.Env) kitchen {
	return kitchen{e.Station("grinder"), e.Station("press"), e.Station("steamer")}
}

// audit returns the check of a stream: every order has all its stages, and each order used each kind of machine once,
// if it needs it.
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
