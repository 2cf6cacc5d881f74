package coffee

import (
	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// counter is a kitchen with a mutex for each machine.
type counter struct {
	*shop
	kitchen
	grinderLock, pressLock, steamerLock *env.Mutex
}

func newCounter(e env.Env, p plan.Point, drink stage) (*counter, error) {
	s, err := newShop(e, p, drink)
	return &counter{s, newKitchen(e), e.Mutex("grinder"), e.Mutex("press"), e.Mutex("steamer")}, err
}

func (c *counter) lockGrind(e env.Env, o *order) {
	c.grinderLock.Lock()
	c.shop.grind(e, c.grinder, o)
	c.grinderLock.Unlock()
}

func (c *counter) lockPress(e env.Env, o *order) {
	c.pressLock.Lock()
	c.shop.press(e, c.kitchen.press, o)
	c.pressLock.Unlock()
}

func (c *counter) lockSteam(e env.Env, o *order) {
	c.steamerLock.Lock()
	c.shop.steam(e, c.steamer, o)
	c.steamerLock.Unlock()
}

// newFineLocking has a mutex for each machine: one for each of grinder, press and steamer; serving needs none.
func newFineLocking(e env.Env, p plan.Point) (workload.Stream, error) {
	c, err := newCounter(e, p, aLatte)
	return workload.Stream{
		Op: func(e env.Env, request uint64) {
			o := order{request: request}
			c.lockGrind(e, &o)
			c.lockPress(e, &o)
			c.lockSteam(e, &o)
			c.serve(e, &o)
		},
		Check: c.audit(c.kitchen),
	}, err
}

// newAmericano is finelocking without the steam stage.
func newAmericano(e env.Env, p plan.Point) (workload.Stream, error) {
	return blackCoffee(e, p, anAmericano)
}

// newEspresso is finelocking without the steam and latte stages.
func newEspresso(e env.Env, p plan.Point) (workload.Stream, error) {
	return blackCoffee(e, p, justEspresso)
}

func blackCoffee(e env.Env, p plan.Point, drink stage) (workload.Stream, error) {
	c, err := newCounter(e, p, drink)
	return workload.Stream{
		Op: func(e env.Env, request uint64) {
			o := order{request: request}
			c.lockGrind(e, &o)
			c.lockPress(e, &o)
			c.serve(e, &o)
		},
		Check: c.audit(c.kitchen),
	}, err
}
