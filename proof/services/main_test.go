package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/env/live"
	"github.com/brewput/brewput/load"
	"github.com/brewput/brewput/model"
	"github.com/brewput/brewput/proof/record"
	"github.com/brewput/brewput/proof/services/known"
)

// TestMain lets tests start the server.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == serveCommand {
		os.Exit(serve(os.Args[2:], os.Stdin, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// logged returns the log of a server that gets requests at given times, which a path delays.
func logged(t *testing.T, c known.Config, intended, delays, services []time.Duration) []known.Entry {
	entries := make([]known.Entry, len(intended))
	for i, at := range intended {
		read := at + delays[i] + time.Second // the clock of the server
		entries[i] = known.Entry{Request: uint64(i + 1), Received: read, Arrival: read + 5, Service: services[i]}
	}
	slices.SortStableFunc(entries, func(a, b known.Entry) int { return int(a.Arrival - b.Arrival) })
	arrivals, spent := make([]float64, len(entries)), make([]float64, len(entries))
	for i, e := range entries {
		arrivals[i], spent[i] = float64(e.Arrival), float64(e.Service)
	}
	visits, err := model.KieferWolfowitz(arrivals, spent, c.Servers, c.Pauses(time.Minute)...)
	if err != nil {
		t.Fatal(err)
	}
	for i := range entries {
		e := &entries[i]
		e.Start = e.Arrival + time.Duration(visits[i].Wait)
		e.End = e.Arrival + time.Duration(visits[i].Response)
		e.Written = e.End + 7
	}
	return entries
}

// TestTruth: if requests are delayed equally, what the server saw is the truth. If a generator waits for its replies,
// the server sees short times, and the truth is as long as if it had not waited.
func TestTruth(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 3))
		c := known.Config{Servers: 1 + r.IntN(3), Limit: 1}
		if seed%2 == 0 {
			c.Every, c.Pause = 100*time.Millisecond, 30*time.Millisecond
		}
		n := 2000
		times, services := []time.Duration{0}, make([]time.Duration, n)
		equal, none := make([]time.Duration, n), make([]time.Duration, n)
		at := time.Duration(0)
		for i := range n {
			at += time.Duration(r.ExpFloat64() * 2e6 / float64(c.Servers))
			times, services[i], equal[i] = append(times, at), time.Duration(1+r.IntN(2_000_000)), 250
		}

		var a, b entry
		x, err := byNumber(c, logged(t, c, times[1:], equal, services), times)
		if err != nil {
			t.Fatal(err)
		}
		if err := x.compute(&a, times[100], times[1900]); err != nil {
			t.Fatal(err)
		}
		if a.Requests != 1800 || a.Truth != a.Served || a.Late != [2]float64{} || a.Truth[0] == 0 ||
			a.Joined != [2]float64{5, 5} {
			t.Fatalf("seed %d: %+v", seed, a)
		}

		// Request i waits until request i - 1 has been served, as in a closed loop of one client.
		late, free := slices.Clone(none), time.Duration(0)
		for i := range n {
			late[i] = max(250, free-times[i+1])
			free = times[i+1] + late[i] + services[i] + 50
		}
		x, err = byNumber(c, logged(t, c, times[1:], late, services), times)
		if err != nil {
			t.Fatal(err)
		}
		if err := x.compute(&b, times[100], times[1900]); err != nil {
			t.Fatal(err)
		}
		if c.Pause == 0 && b.Truth != a.Truth {
			t.Fatalf("seed %d: the truth depends on delays: %v, not %v", seed, b.Truth, a.Truth)
		}
		if !(b.Served[2] < b.Truth[2] && b.Late[1] > 0) && c.Servers == 1 {
			t.Fatalf("seed %d: %+v", seed, b)
		}
	}
}

// TestByOrder: requests without numbers have their times in the order in which they reached the server, also if they
// joined its queue in another one.
func TestByOrder(t *testing.T) {
	entries := []known.Entry{{Request: 1, Received: 2e6, Arrival: 3e6}, {Request: 2, Received: 1e6, Arrival: 4e6}}
	x := byOrder(known.Config{}, entries, 1000)
	if x.entries[0].Request != 2 || x.entries[1].Request != 1 || x.intended[1] != time.Millisecond ||
		x.offset() != time.Millisecond || entries[0].Request != 1 {
		t.Errorf("%+v, offset %v", x, x.offset())
	}
}

// TestRefused: a trial that brewput refused is repeated, but not without end.
func TestRefused(t *testing.T) {
	for lateTrials, want := range []int{0, 1, 2, 2} {
		n := 0
		e, err := repeat(func() (x entry, err error) {
			if n++; n <= lateTrials {
				x.Missing = lateSelf
			}
			return x, nil
		})
		if err != nil || e.Refused != want || (e.Missing == "") != (lateTrials < 3) || n != want+1 {
			t.Errorf("%d late trials: %d trials, %+v, %v", lateTrials, n, e, err)
		}
	}
	n := 0
	_, err := repeat(func() (entry, error) { n++; return entry{Missing: "no server"}, errors.New("no server") })
	if err == nil || n != 1 {
		t.Errorf("%d trials that fail, %v", n, err)
	}
}

// TestJoin: a request that is missing, is there twice, or cannot be, is found.
func TestJoin(t *testing.T) {
	times := []time.Duration{0, 1, 2, 3}
	for text, numbers := range map[string][]uint64{
		"": {2, 1, 3}, "request 2 is missing": {1, 3}, "request 3 is missing": {1, 2, 2}, "request 1 is missing": {2},
		"only 4 arrive": {1, 2, 3, 4},
	} {
		var epoch []known.Entry
		for _, n := range numbers {
			epoch = append(epoch, known.Entry{Request: n})
		}
		x, err := byNumber(known.Config{}, epoch, times)
		if (err == nil) != (text == "") || err != nil && !strings.Contains(err.Error(), text) {
			t.Errorf("%v: %v", numbers, err)
		}
		if text == "" && !slices.Equal(x.intended, times[1:]) {
			t.Errorf("%v", x.intended)
		}
	}
	if err := (&sample{}).compute(&entry{}, 0, 1); err == nil {
		t.Error("no request is accepted")
	}
}

// TestEpochs: the requests of the last trial, or of the one before it, also if its first request came late.
func TestEpochs(t *testing.T) {
	log := func(epochs ...int) (l known.Log) {
		for i, e := range epochs {
			l.Entries = append(l.Entries, known.Entry{Request: uint64(i), Epoch: e})
		}
		return l
	}
	for _, c := range []struct {
		log      known.Log
		followed bool
		want     string
	}{
		{log(2, 2, 5, 5, 5), false, "[2 3 4]"},
		{log(2, 2, 5, 5, 5), true, "[0 1]"},
		{log(2, 4, 5, 5, 7, 8), false, "[4 5]"},
		{log(2, 4, 5, 5, 7, 8), true, "[1 2 3]"},
		{log(), false, "error"},
		{log(2), true, "error"},
	} {
		got := "error"
		if epoch, err := epochOf(c.log, c.followed); err == nil {
			var list []uint64
			for _, e := range epoch {
				list = append(list, e.Request)
			}
			got = fmt.Sprint(list)
		}
		if got != c.want {
			t.Errorf("%v, followed %v: %s, not %s", c.log.Entries, c.followed, got, c.want)
		}
	}
}

// TestQuantile: the rank is rounded as that of a histogram, and 10 values are beyond it.
func TestQuantile(t *testing.T) {
	values := make([]float64, 1000)
	for i := range values {
		values[i] = float64(1000 - i)
	}
	for q, want := range map[float64]float64{0.5: 500, 0.9: 900, 0.99: 990, 0.995: 0} {
		if got := quantile(values, q); got != want {
			t.Errorf("%v: %v, not %v", q, got, want)
		}
	}
}

// TestLoad sends an open loop to a server in a process of its own, joins both sides, and computes the truth. However
// late this machine is, no reply comes before the server has given it, and the truth is at least the service time.
func TestLoad(t *testing.T) {
	ctx := context.Background()
	k := known.Config{Servers: 2, Mean: time.Millisecond, Seed: 5, Every: 100 * time.Millisecond,
		Pause: 20 * time.Millisecond}
	s, err := (&campaign{}).startServer(ctx, k, -1)
	if err != nil {
		t.Fatal(err)
	}
	defer s.stop()

	const seed = 9
	arrivals := load.Arrivals{Kind: load.Poisson, Rate: 1000}
	var mu sync.Mutex
	ends := map[uint64]time.Duration{}
	targets := strings.Split(strings.TrimSpace(numbered(s.url, 2000)), "\n")
	open := load.Open{Workers: 200, Arrivals: arrivals, QueueLimit: -1, Window: 300 * time.Millisecond,
		Drain: time.Minute, AtBegin: func() {}, AtEnd: func() {},
		Op: func(e env.Env, request uint64) {
			reply, err := http.Get(strings.TrimPrefix(targets[request], "GET "))
			if err != nil {
				t.Error(err)
				return
			}
			reply.Body.Close()
			mu.Lock()
			defer mu.Unlock()
			ends[request] = e.Now()
		}}
	w := live.New(live.Config{Seed: seed, Poller: true})
	var began time.Duration
	if err := w.Run("load", func(e env.Env) {
		began = e.Now()
		if _, err := open.Run(e); err != nil {
			t.Error(err)
		}
	}); err != nil {
		t.Fatal(err)
	}

	if n, err := s.connections(ctx); err != nil || n < 1 {
		t.Errorf("%v connections, %v", n, err)
	}
	l, err := s.log(ctx)
	if err != nil {
		t.Fatal(err)
	}
	epoch, err := epochOf(l, false)
	if err != nil {
		t.Fatal(err)
	}
	x, err := byNumber(l.Config, epoch, arrivals.Times(env.NewRand(seed), time.Minute))
	if err != nil || len(x.entries) != len(ends)-1 {
		t.Fatalf("%d entries, %d replies, %v", len(x.entries), len(ends), err)
	}
	for i, e := range x.entries {
		if got := ends[e.Request] - began - x.intended[i]; got < e.Written-e.Received {
			t.Errorf("request %d took %v, but the server needed %v", e.Request, got, e.Written-e.Received)
		}
	}
	var e entry
	if err := x.compute(&e, 0, time.Hour); err != nil || e.Requests != len(x.entries) || e.Late[0] < 0 {
		t.Errorf("%+v, %v", e, err)
	}
}

// fake returns a cell whose measurements are given, one after the other.
func fake(name string, results ...entry) cell {
	return cell{name: name, part: truthPart, right: accurate,
		measure: func(context.Context, *campaign) (entry, error) {
			if len(results) == 0 {
				return entry{}, errors.New("measured too often")
			}
			e := results[0]
			results = results[1:]
			return e, nil
		}}
}

// calm returns a cell without a target, which must not be disturbed.
func calm(x cell) cell {
	x.right, x.calm = nil, true
	return x
}

// good is an entry of a cell whose target is met.
func good() entry {
	return entry{Requests: 2000, Got: [3]float64{1e6, 2e6, 3e6}, Truth: [3]float64{0.9e6, 1.9e6, 3e6}}
}

// TestCampaign: a campaign measures what is not in its record, and what was disturbed or refused, and its exit code is
// that of the worst cell.
func TestCampaign(t *testing.T) {
	good := good()
	bad, noisy, absent := good, good, entry{Missing: "not installed", absent: true}
	bad.Got[2] = 3.3e6
	noisy.Got[2], noisy.Others = 3.3e6, 0.5
	late, tooLate := entry{Missing: lateSelf, Refused: maxRefused}, entry{Missing: lateSelf, Refused: mostRefused}
	rate := entry{Rate: 5e4, Others: 0.5}
	busyLate := entry{Missing: lateSelf, Others: 0.5}
	for _, c := range []struct {
		cells  []cell
		again  []cell // for a second call
		codes  [2]int
		output string
	}{
		{[]cell{fake("a", good)}, []cell{fake("a")}, [2]int{0, 0}, "0.44 of the limit"},
		{[]cell{fake("a", bad)}, []cell{fake("a")}, [2]int{record.ExitBroken, record.ExitBroken}, "1.03 of the limit"},
		{[]cell{fake("a", noisy, noisy)}, []cell{fake("a", noisy, good)}, [2]int{record.ExitUndecided, 0}, "met"},
		{[]cell{fake("a", noisy, bad), fake("b", noisy, good)}, []cell{fake("a"), fake("b")},
			[2]int{record.ExitBroken, record.ExitBroken}, "missed"},
		{[]cell{calm(fake("a", noisy, noisy))}, []cell{calm(fake("a", noisy, good))}, [2]int{record.ExitUndecided, 0},
			"0.44 of the limit"},
		{[]cell{fake("a", late)}, []cell{fake("a", good)}, [2]int{record.ExitUndecided, 0},
			"late: undecided; 3 trials on an idle machine"},
		{[]cell{fake("a", late)}, []cell{fake("a", noisy, late)}, [2]int{record.ExitUndecided, record.ExitUndecided},
			"late: undecided; 6 trials on an idle machine"},
		{[]cell{fake("a", tooLate)}, []cell{fake("a")}, [2]int{record.ExitBroken, record.ExitBroken},
			"late: missed; 13 trials on an idle machine"},
		{[]cell{calm(fake("a", tooLate))}, []cell{fake("a")}, [2]int{record.ExitBroken, record.ExitBroken},
			"late: missed; 13 trials on an idle machine"},
		{[]cell{calm(fake("a", busyLate))}, []cell{calm(fake("a", late))},
			[2]int{record.ExitUndecided, record.ExitUndecided}, "late: undecided; 3 trials on an idle machine"},
		{[]cell{calm(fake("a", late))}, []cell{calm(fake("a", late))},
			[2]int{record.ExitUndecided, record.ExitUndecided}, "late: undecided; 6 trials on an idle machine"},
		{[]cell{calm(fake("a", absent))}, []cell{calm(fake("a", good))}, [2]int{0, 0}, "not installed"},
		{[]cell{calm(fake("a", noisy, noisy))}, []cell{calm(fake("a", absent))},
			[2]int{record.ExitUndecided, record.ExitUndecided}, "of the limit"}, // what was measured stays
		{[]cell{calm(fake("a", noisy, absent))}, []cell{calm(fake("a", good))}, [2]int{record.ExitUndecided, 0},
			"of the limit"},
		{[]cell{calm(fake("a", rate, absent))}, []cell{calm(fake("a", good))}, [2]int{record.ExitUndecided, 0},
			"of the limit"},
	} {
		var out, progress bytes.Buffer
		campaign := &campaign{stdout: &out, stderr: &progress, hashes: "one",
			record: filepath.Join(t.TempDir(), "record")}
		for i, cells := range [][]cell{c.cells, c.again} {
			code, err := campaign.run(t.Context(), cells, record.Piece{})
			if err != nil || code != c.codes[i] {
				t.Errorf("call %d: exit code %d, %v, not %d\n%s", i+1, code, err, c.codes[i], out.String())
			}
		}
		if !strings.Contains(out.String(), c.output) {
			t.Errorf("no %q in\n%s", c.output, out.String())
		}
		code, err := campaign.run(t.Context(), []cell{fake("later")}, record.NewPiece(1))
		if code != record.ExitUndecided || err != nil || !strings.Contains(out.String(), "1 cells are left") {
			t.Errorf("a piece that is over: %d, %v", code, err)
		}
		campaign.hashes = "another"
		if _, err := campaign.run(t.Context(), nil, record.Piece{}); err == nil {
			t.Error("accepts a record of another build")
		}
	}
}

// TestCells: names are unique, because the record finds cells by their names.
func TestCells(t *testing.T) {
	seen := map[string]bool{}
	for _, x := range allCells() {
		if seen[x.name] {
			t.Errorf("two cells %q", x.name)
		}
		seen[x.name] = true
	}
	if len(seen) < 60 {
		t.Errorf("%d cells", len(seen))
	}
	for pattern, want := range map[string]int{"^truth M/M/1, load 0.5": 1, "": len(seen), "^ruth": 0, "(": 0} {
		if cells, err := matching(allCells(), pattern); len(cells) != want || (err == nil) != (want > 0) {
			t.Errorf("%q matches %d cells, %v", pattern, len(cells), err)
		}
	}
}

// TestWindows: so many requests arrive within the window of each truth cell that it has a p99.
func TestWindows(t *testing.T) {
	for _, servers := range []int{1, 2, 4} { // 4 of 8 ms have the rates of 1 of 2 ms
		for _, share := range loads {
			b := truthRun(knownServer(false, servers, false), share)
			n := 0
			for _, at := range (load.Arrivals{Kind: b.arrivals, Rate: b.rate}).Times(env.NewRand(b.seed),
				b.warmup+b.duration) {
				if at >= b.warmup {
					n++
				}
			}
			if n/100 < 27 { // beyond the p99
				t.Errorf("%d servers, load %v: %d requests", servers, share, n)
			}
		}
	}
}

// TestAccuracy: brewput must be within the limits, or as accurate as the best one of vegeta, hey and k6.
func TestAccuracy(t *testing.T) {
	errs := func(x float64) entry {
		return entry{Truth: [3]float64{1e6, 2e6, 3e6}, Got: [3]float64{1e6 + x*0.23e6, 2e6, 3e6}, Others: 0.01}
	}
	const none, busy, late = -1, -2, -3 // not measured, disturbed, and late too often
	for _, c := range []struct {
		brewput, vegeta, hey, k6 float64
		code                     int
		want                     string
	}{
		{0.9, 0.1, 50, 60, 0, "met: x: the largest error of brewput is 0.90 of the limit, and that of vegeta 0.10"},
		{1.2, 9, 1.5, 60, 0, "met: x: the largest error of brewput is 1.20 of the limit, and that of hey 1.50"},
		{1.2, 9, 1.1, 60, record.ExitBroken,
			"missed: x: the largest error of brewput is 1.20 of the limit, and that of hey 1.10"},
		{0.9, none, 50, 60, 0, "met: x: the largest error of brewput is 0.90 of the limit, and that of hey 50.00"},
		{1.2, none, 1.1, 60, record.ExitBroken,
			"missed: x: the largest error of brewput is 1.20 of the limit, and that of hey 1.10"},
		{1.2, none, 1.5, 60, record.ExitUndecided, "undecided: x: no times of vegeta"},
		{1.2, busy, 1.5, 60, record.ExitUndecided, "undecided: x: no times of vegeta"},
		{1.2, 9, 9, 1.1, record.ExitBroken,
			"missed: x: the largest error of brewput is 1.20 of the limit, and that of k6 1.10"},
		{0.9, none, busy, none, record.ExitUndecided, "undecided: x: no times of vegeta, hey and k6"},
		{none, 0.1, 0.1, 60, record.ExitUndecided, "undecided: x: no times of brewput"},
		{busy, 0.1, 0.1, 60, record.ExitUndecided, "undecided: x: no times of brewput"},
		{late, 0.1, 0.1, 60, record.ExitBroken, "missed: x: brewput was late in 13 trials on an idle machine"},
	} {
		var rows []row
		for tool, x := range map[string]float64{"brewput": c.brewput, "vegeta": c.vegeta, "hey": c.hey, "k6": c.k6,
			"wrk": 0} {
			own, e := cell{name: "x, " + tool, tool: tool}, errs(x)
			if own.calm = tool != "brewput"; !own.calm {
				own.right = accurate
			}
			switch x {
			case none:
				e = entry{Missing: "not installed"}
			case busy:
				e.Others = 1
			case late:
				e = entry{Missing: lateSelf, Refused: mostRefused}
			}
			rows = append(rows, row{own, e})
		}
		rows = append(rows, row{cell{name: "other, vegeta", tool: "vegeta"}, errs(0)})
		var out bytes.Buffer
		if code := printAccuracy(&out, rows); code != c.code || out.String() != c.want+"\n" {
			t.Errorf("exit code %d, %q, not %d, %q", code, &out, c.code, c.want)
		}
	}
}

// TestRates: the target counts only vegeta, hey and k6, and medians.
func TestRates(t *testing.T) {
	rows := func(rates map[string][]float64) (list []row) {
		for tool, r := range rates {
			for _, v := range r {
				e := entry{Rate: v}
				if v < 0 { // other processes disturbed it
					e.Others = 1
				}
				list = append(list, row{cell{tool: tool, part: ratePart, calm: true}, e})
			}
		}
		return list
	}
	for _, c := range []struct {
		rates map[string][]float64
		code  int
		text  string
	}{
		{map[string][]float64{"brewput": {10, 80, 90}, "vegeta": {100, 100, 1}, "wrk": {900}, "hey": {2}}, 0,
			"0.8 times as many as vegeta"},
		{map[string][]float64{"brewput": {79}, "vegeta": {1}, "hey": {100}}, record.ExitBroken, "missed"},
		{map[string][]float64{"brewput": {79}, "vegeta": {-1}, "hey": {100}}, record.ExitBroken, "missed"},
		{map[string][]float64{"brewput": {80}, "vegeta": {100}}, record.ExitUndecided, "undecided: no rate of hey"},
		{map[string][]float64{"brewput": {80}, "vegeta": {-1, -1}, "hey": {100}}, record.ExitUndecided,
			"undecided: no rate of vegeta"},
		{map[string][]float64{"brewput": {80}, "vegeta": {-1, 100}, "hey": {100}}, 0, "met"},
		{map[string][]float64{"brewput": {79}, "vegeta": {90}, "hey": {90}, "k6": {100}}, record.ExitBroken, "missed"},
		{map[string][]float64{"brewput": {79}}, record.ExitUndecided, "undecided: no rate of vegeta and hey"},
		{map[string][]float64{"brewput": {-1}, "hey": {79}}, record.ExitUndecided, "undecided: no rate of brewput"},
	} {
		if c.rates["k6"] == nil {
			c.rates["k6"] = []float64{3}
		}
		var out bytes.Buffer
		if code := printRates(&out, rows(c.rates)); code != c.code || !strings.Contains(out.String(), c.text) {
			t.Errorf("%v: %d, %s", c.rates, code, &out)
		}
	}
}

// TestTrial: the uninstrumented trial of a run, and whether another one followed it.
func TestTrial(t *testing.T) {
	const plain = `{"kind":"trial","status":"ok","order":%d,"seed":"4","open":true,` +
		`"metrics":{"response_p50_ns":5,"lag_p99_ns":7}}` + "\n"
	const other = `{"kind":"observed","status":"ok","order":%d,"seed":"4","metrics":{}}` + "\n"
	for _, c := range []struct {
		text     string
		followed bool
		wrong    string
	}{
		{fmt.Sprintf(plain+other, 0, 1), true, ""},
		{fmt.Sprintf(other+plain, 0, 1), false, ""},
		{fmt.Sprintf(plain, 0) + `{"kind":"answer","text":["x"]}`, false, ""},
		{fmt.Sprintf(other, 0), false, "printed no trial"},
		{`{"kind":"trial","status":"wrong-answer","error":"it says no"}`, false, "it says no"},
		{`{"kind":"trial","status":"ok","unstable":true}`, false, "has no number"},
		{`{"kind":"trial","status":"failed","error":"late","invalid":true}`, false, ""},
	} {
		x, followed, err := trialOf([]byte(c.text))
		if followed != c.followed || (err == nil) != (c.wrong == "") ||
			err != nil && !strings.Contains(err.Error(), c.wrong) {
			t.Errorf("%s: %v, %v", c.text, followed, err)
			continue
		}
		var e entry
		if e.fill(x); err == nil && !x.Invalid && (e.Got[0] != 5 || e.Lag != 7) || x.Invalid != (e.Missing != "") {
			t.Errorf("%s: %+v", c.text, e)
		}
	}
}
