package main

import (
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/brewput/brewput/proof/record"
)

// k6Peer returns the tool k6, and a campaign whose k6 is a shell script.
func k6Peer(t *testing.T, script string) (peer, *campaign) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell")
	}
	file := filepath.Join(t.TempDir(), "k6")
	if err := os.WriteFile(file, []byte("#!/bin/sh\n"+script), 0o700); err != nil {
		t.Fatal(err)
	}
	all := peers()
	i := slices.IndexFunc(all, func(p peer) bool { return p.name == "k6" })
	return all[i], &campaign{k6: file}
}

// TestK6: k6 gets a script with the load, and no variable that changes it.
func TestK6(t *testing.T) {
	t.Setenv("K6_DURATION", "1h")
	t.Setenv("BREWPUT_PROTOCOL", "h2")
	config := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", config)
	if err := os.Mkdir(filepath.Join(config, "k6"), 0o700); err != nil {
		t.Fatal(err)
	}
	for rate, load := range map[int]string{
		600: `executor: "constant-arrival-rate", rate: 600, preAllocatedVUs: 1000, duration: "2s" }`,
		0:   `executor: "constant-vus", vus: 64, duration: "2s" }`,
	} {
		seen := filepath.Join(t.TempDir(), "seen")
		p, c := k6Peer(t, "echo \"$*$K6_DURATION$BREWPUT_PROTOCOL-$BREWPUT_CONFIG$(ls $XDG_CONFIG_HOME)\" >"+seen+
			"; cat >>"+seen+"\ncat <<'END'\n"+k6Text+"\nEND\n")
		e, err := p.attack(t.Context(), c, "http://[::1]:7/a?b=$HOME", rate, 2*time.Second, -1)
		if err != nil || e.Rate != 599.5 || e.Got != [3]float64{1854541, 5e6, 12e6} {
			t.Errorf("%d/s: %+v, %v", rate, e, err)
		}
		text, err := os.ReadFile(seen)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"run --quiet --no-usage-report --off\nimport http", load,
			`["p(50)", "p(90)", "p(99)"]`, `http.get("http://[::1]:7/a?b=$HOME")`, "discardResponseBodies: true"} {
			if !strings.Contains(string(text), want) {
				t.Errorf("%d/s: no %q in\n%s", rate, want, text)
			}
		}
	}
}

// TestAnotherTool: a cell is measured again if its tool is another program now, and kept if the tool is gone.
func TestAnotherTool(t *testing.T) {
	_, c := k6Peer(t, "")
	c.stdout, c.stderr, c.record = io.Discard, io.Discard, filepath.Join(t.TempDir(), "record")
	one, another := good(), good()
	another.Rate = 7
	k6Cell := func(results ...entry) []cell {
		x := calm(fake("k6", results...))
		x.tool = "k6"
		own := fake("brewput", results...)
		own.tool = "brewput"
		return []cell{x, own}
	}
	call := func(cells []cell) {
		t.Helper()
		if code, err := c.run(t.Context(), cells, record.Piece{}); code != 0 || err != nil {
			t.Fatal(code, err)
		}
	}
	call(k6Cell(one))
	call(k6Cell()) // nothing is measured
	if err := os.WriteFile(c.k6, []byte("#!/bin/sh\n# another k6\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	call([]cell{k6Cell(another)[0], k6Cell()[1]})
	if text, err := os.ReadFile(c.record); err != nil || !strings.Contains(string(text), `"rate":7`) {
		t.Errorf("%v, not measured again: %s", err, text)
	}
	if err := os.Remove(c.k6); err != nil {
		t.Fatal(err)
	}
	call(k6Cell())
}

// TestPeerFails: a tool that is missing or fails has no number, and a later call tries it again.
func TestPeerFails(t *testing.T) {
	p, c := k6Peer(t, "echo too many >&2; exit 7")
	e, err := p.attack(t.Context(), c, "http://[::1]:7/", 600, time.Second, -1)
	if err != nil || !e.absent || e.Missing != "it failed: exit status 7: too many" {
		t.Errorf("it exits with 7: %+v, %v", e, err)
	}
	p, c = k6Peer(t, "echo '"+strings.Replace(k6Text, `"count":0`, `"count":5`, 1)+"'")
	if e, err := p.attack(t.Context(), c, "http://[::1]:7/", 600, time.Second, -1); err != nil || !e.absent ||
		e.Missing != "it left out 5 requests" {
		t.Errorf("requests are left out: %+v, %v", e, err)
	}
	p, c = k6Peer(t, "echo '"+strings.Replace(k6Text, "p(99)", "p(95)", 1)+"'")
	if e, err := p.attack(t.Context(), c, "http://[::1]:7/", 600, time.Second, -1); err != nil || !e.absent ||
		e.Missing != "it reports no p50, p90 or p99" {
		t.Errorf("without a quantile: %+v, %v", e, err)
	}
	p, c = k6Peer(t, "sleep 60")
	e, err = p.attack(t.Context(), c, "http://[::1]:7/", 600, time.Millisecond-attackGrace, -1) // a millisecond in all
	if err != nil || !e.absent || e.Missing != "it did not end 1m0s after the load" {
		t.Errorf("it does not end: %+v, %v", e, err)
	}
	c.k6 += " is not there"
	if e, missing := p.missing(c); !missing || !e.absent ||
		e.Missing != c.k6+" is missing; make services builds it, with access to the network" {
		t.Errorf("%+v, %v", e, missing)
	}
}
