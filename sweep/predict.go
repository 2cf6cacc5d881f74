package sweep

import (
	"github.com/brewput/brewput/load"
	"github.com/brewput/brewput/model"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/result"
	"github.com/brewput/brewput/trial"
)

// mostDeterministic is the coefficient of variation below which a service counts as deterministic.
const mostDeterministic = 0.05

// mostLost is the share of customers that may be lost where a formula without losses is shown, mostLoaded the
// load up to which it is: beyond, the response depends on the load's last digit.
const (
	mostLost   = 0.01
	mostLoaded = 0.95
)

// predict adds what queueing theory says of the response, where it applies: one request in service at a
// time, Poisson arrivals, hardly a loss.
func (s *Sweep) predict(t *result.Trial, c plan.Case, o *trial.OpenLoad) {
	a := s.capacityOf(c).Alone
	poisson := !c.Point.Has("arrivals") || c.Point.Text("arrivals") == load.Poisson
	if o == nil || a == nil || o.Rate*a.Mean > mostLoaded*1e9 || !poisson || !t.Good() || t.Unstable || float64(t.Metrics.Get(result.LostShare)) > mostLost {
		return
	}
	name, sd := result.ModelMG1, a.SD
	if a.SD < mostDeterministic*a.Mean {
		name, sd = result.ModelMD1, 0
	}
	if seconds, ok := model.MG1Response(o.Rate, a.Mean/1e9, sd/1e9); ok {
		t.Metrics[name] = result.Value(seconds * 1e9)
	}
}
