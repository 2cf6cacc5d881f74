package model

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// simulate serves requests at equal servers, event by event, and shares nothing with the recursion: servers lose
// their remaining service as time passes, except in pauses.
func simulate(arrivals, services []float64, servers int, pauses []Pause) []Visit {
	type job struct {
		request int
		left    float64
	}
	visits := make([]Visit, len(arrivals))
	var serving []job
	var queue []int
	now, next, paused, pause := 0.0, 0, false, 0
	if len(arrivals) > 0 {
		now = arrivals[0]
	}
	for pause < len(pauses) && pauses[pause].From+pauses[pause].Length <= now {
		pause++
	}
	if pause < len(pauses) && pauses[pause].From <= now {
		paused = true
	}
	for served := 0; served < len(arrivals); {
		// What is next: the end of a service, the beginning or the end of a pause, or an arrival.
		step := math.Inf(1)
		if !paused {
			for _, j := range serving {
				step = min(step, j.left)
			}
			if pause < len(pauses) {
				step = min(step, pauses[pause].From-now)
			}
		} else {
			step = pauses[pause].From + pauses[pause].Length - now
		}
		if next < len(arrivals) {
			step = min(step, arrivals[next]-now)
		}
		now += step
		if !paused {
			for i := range serving {
				serving[i].left -= step
			}
			serving = slices.DeleteFunc(serving, func(j job) bool {
				if j.left == 0 {
					visits[j.request].Response = now - arrivals[j.request]
					served++
				}
				return j.left == 0
			})
		}
		if paused && now == pauses[pause].From+pauses[pause].Length {
			paused = false
			pause++
		}
		if !paused && pause < len(pauses) && pauses[pause].From == now {
			paused = true
		}
		for next < len(arrivals) && arrivals[next] == now {
			queue = append(queue, next)
			next++
		}
		for !paused && len(queue) > 0 && len(serving) < servers {
			r := queue[0]
			queue = queue[1:]
			visits[r].Wait = now - arrivals[r]
			if services[r] == 0 {
				visits[r].Response = visits[r].Wait
				served++
				continue
			}
			serving = append(serving, job{r, services[r]})
		}
	}
	return visits
}

// path draws requests and pauses in whole numbers, so that many events coincide.
func path(r *rand.Rand) (arrivals, services []float64, pauses []Pause) {
	at, gap, longest := float64(r.IntN(20)), 1+r.IntN(12), 1+r.IntN(20)
	for range r.IntN(60) {
		at += float64(r.IntN(gap))
		arrivals = append(arrivals, at)
		services = append(services, float64(r.IntN(longest)))
	}
	from := 0.0
	for range r.IntN(8) {
		from += float64(r.IntN(60))
		p := Pause{from, float64(1 + r.IntN(30))}
		pauses = append(pauses, p)
		from += p.Length
	}
	return arrivals, services, pauses
}

// TestRecursions compares the recursions with an event simulation, at 20,000 seeds.
func TestRecursions(t *testing.T) {
	for seed := range uint64(20_000) {
		arrivals, services, pauses := path(rand.New(rand.NewPCG(seed, 1)))
		if seed%2 == 0 {
			pauses = nil
		}
		servers := 1 + int(seed/2%5)
		got, err := KieferWolfowitz(arrivals, services, servers, pauses...)
		want := simulate(arrivals, services, servers, pauses)
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("seed %d, %d servers, pauses %v: arrivals %v, services %v:\n%v, %v, but simulated\n%v", seed,
				servers, pauses, arrivals, services, got, err, want)
		}
		if servers > 1 || pauses != nil {
			continue
		}
		if one, err := Lindley(arrivals, services); err != nil || !slices.Equal(one, want) {
			t.Fatalf("seed %d: %v, %v, but simulated %v", seed, one, err, want)
		}
	}
}

// TestDelayedArrivals: arrivals that are late by up to x delay the end of each response by at most x.
func TestDelayedArrivals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		arrivals, services, _ := path(rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 2)))
		servers, late := rapid.IntRange(1, 5).Draw(t, "servers"), rapid.IntRange(0, 9).Draw(t, "late")
		delayed, latest := make([]float64, len(arrivals)), math.Inf(-1)
		for i, at := range arrivals {
			latest = max(latest, at+float64(rapid.IntRange(0, late).Draw(t, "delay")))
			delayed[i] = min(latest, at+float64(late)) // in the same order
		}
		a, err := KieferWolfowitz(arrivals, services, servers)
		if err != nil {
			t.Fatal(err)
		}
		b, err := KieferWolfowitz(delayed, services, servers)
		if err != nil {
			t.Fatal(err)
		}
		for i := range a {
			if d := delayed[i] + b[i].Response - arrivals[i] - a[i].Response; d < 0 || d > float64(late) {
				t.Fatalf("request %d ends %v later, but all arrive at most %d later", i, d, late)
			}
		}
	})
}

// TestRecursionsAgainstFormulas compares long runs with the steady state: means and quantiles of M/M/c and M/D/1.
func TestRecursionsAgainstFormulas(t *testing.T) {
	const n, skip = 400_000, 10_000
	for _, c := range []struct {
		servers  int
		load     float64
		constant bool
	}{{1, 0.3, false}, {1, 0.7, false}, {2, 0.7, false}, {4, 0.7, false}, {1, 0.3, true}, {1, 0.7, true}} {
		const service = 0.01
		rate := c.load * float64(c.servers) / service
		r := rand.New(rand.NewPCG(7, uint64(c.servers)))
		arrivals, services, at := make([]float64, n), make([]float64, n), 0.0
		for i := range arrivals {
			at += r.ExpFloat64() / rate
			arrivals[i], services[i] = at, service
			if !c.constant {
				services[i] *= r.ExpFloat64()
			}
		}
		visits, err := KieferWolfowitz(arrivals, services, c.servers)
		if err != nil {
			t.Fatal(err)
		}
		steady, err := MMc(rate, service, c.servers)
		waitQuantile := func(p float64) (float64, error) { return MMcWaitQuantile(rate, service, c.servers, p) }
		if c.constant {
			steady, err = MD1(rate, service)
			waitQuantile = func(p float64) (float64, error) { return MD1WaitQuantile(rate, service, p) }
		}
		if err != nil {
			t.Fatal(err)
		}
		sum, waits, responses := 0.0, []float64{}, []float64{}
		for _, v := range visits[skip:] {
			sum += v.Response
			waits, responses = append(waits, v.Wait), append(responses, v.Response)
		}
		if mean := sum / (n - skip); !near(mean, steady.Response, 0.02) {
			t.Errorf("%+v: mean response %v, not %v", c, mean, steady.Response)
		}
		slices.Sort(waits)
		slices.Sort(responses)
		for _, p := range []float64{0.5, 0.9, 0.99} {
			want, err := waitQuantile(p)
			got := waits[int(p*float64(len(waits)))]
			if err != nil || math.Abs(got-want) > 0.03*want {
				t.Errorf("%+v: %v-quantile of the wait %v, not %v, %v", c, p, got, want, err)
			}
			if c.constant || c.servers > 1 {
				continue
			}
			want, err = MM1ResponseQuantile(rate, service, p)
			if got := responses[int(p*float64(len(responses)))]; err != nil || !near(got, want, 0.03) {
				t.Errorf("%+v: %v-quantile of the response %v, not %v, %v", c, p, got, want, err)
			}
		}
	}
}

// TestRecursionInput: what is no sample path is refused, with the request or pause.
func TestRecursionInput(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		arrivals, services []float64
		servers            int
		pauses             []Pause
		want               string
	}{
		{nil, nil, 1, nil, ""},
		{[]float64{1, 1}, []float64{0, 2}, 5, []Pause{{-3, 1}, {-2, 7}}, ""},
		{[]float64{1}, nil, 1, nil, "1 arrivals, but 0 services"},
		{[]float64{2, 1}, []float64{1, 1}, 1, nil, "arrival 1 is at 1, before the one above, at 2"},
		{[]float64{nan}, []float64{1}, 1, nil, "arrival 0 is at NaN"},
		{[]float64{inf}, []float64{1}, 1, nil, "arrival 0 is at +Inf"},
		{[]float64{0}, []float64{-1}, 1, nil, "service time 0 is -1"},
		{[]float64{0}, []float64{nan}, 1, nil, "service time 0 is NaN"},
		{[]float64{0}, []float64{1}, 0, nil, "servers: 0"},
		{[]float64{0}, []float64{1}, 1, []Pause{{0, 0}}, "length of pause 0 is 0"},
		{[]float64{0}, []float64{1}, 1, []Pause{{nan, 1}}, "pause 0 begins at NaN"},
		{[]float64{0}, []float64{1}, 1, []Pause{{0, 2}, {1, 1}}, "pause 1 begins at 1, before the one above ends"},
	} {
		_, err := KieferWolfowitz(c.arrivals, c.services, c.servers, c.pauses...)
		if text := fmt.Sprint(err); (err != nil) != (c.want != "") || !strings.Contains(text, c.want) && err != nil {
			t.Errorf("%v, %v, %d, %v: %q, not %q", c.arrivals, c.services, c.servers, c.pauses, text, c.want)
		}
		if c.servers != 1 || c.pauses != nil {
			continue
		}
		if _, err := Lindley(c.arrivals, c.services); (err != nil) != (c.want != "") {
			t.Errorf("Lindley(%v, %v): %v", c.arrivals, c.services, err)
		}
	}
}
