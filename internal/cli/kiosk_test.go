package cli_test

import (
	"errors"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// kiosk is a workload with options. Its designs have the names of the option builds; the one called closed fails.
func kiosk() *workload.Workload {
	open := func(env.Env, plan.Point) (workload.Stream, error) {
		return workload.Stream{Op: func(e env.Env, _ uint64) { e.Burn(10 * time.Microsecond) }}, nil
	}
	closed := func(env.Env, plan.Point) (workload.Stream, error) {
		return workload.Stream{}, errors.New("nobody is there")
	}
	return &workload.Workload{
		Name: "kiosk", Doc: "Sell coffee at a kiosk.", Preflight: true,
		Designs: []workload.Design{{Name: "open", Doc: "sells", Worlds: workload.LiveOnly, Stream: open}},
		Options: []workload.Option{
			{Name: "street", Doc: "where it is, as a `NAME`", Value: "NAME"},
			{Name: "builds", Doc: "design to measure; may be given again", Value: "DESIGN", Many: true},
			{Name: "takeaway", Doc: "sell paper cups"},
		},
		Make: func(g workload.Given) (*workload.Workload, error) {
			if !g.Has("street") {
				return nil, plan.Refuse("", nil, "{street} is missing: the kiosk must be somewhere")
			}
			w := kiosk()
			w.Designs = nil
			for _, name := range g["builds"] {
				d := workload.Design{Name: name, Worlds: workload.LiveOnly, Stream: open}
				if name == "closed" {
					d.Stream = closed
				}
				w.Designs = append(w.Designs, d)
			}
			return w, nil
		},
	}
}
