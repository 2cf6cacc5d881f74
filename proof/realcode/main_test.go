package main

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fake predicts a wall time of 1 s in every step of a round, and measures the one of the environment.
const fake = `#!/bin/sh
wall=1
test "$1" = run && wall=$MEASURED
for metric in wall_seconds:$wall cpu_seconds:1 machine_cpu_seconds:1 steal_seconds:0 real_sections:9 real_code_seconds:1
do
	echo '{"kind":"summary","metric":"'${metric%:*}'","median":'${metric#*:}'}'
done
`

// TestCampaign checks that predictions that are off are counted, and that a step that fails or prints too little is an
// error.
func TestCampaign(t *testing.T) {
	dir := t.TempDir()
	b := &bench{program: filepath.Join(dir, "program"), dir: dir, cpus: 2, rounds: 2}
	write := func(script string) {
		if err := os.WriteFile(b.program, []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write(fake)
	for measured, want := range map[string]int{"1": 0, "2": len(tasks())} {
		t.Setenv("MEASURED", measured)
		if off, err := campaign(b); off != want || err != nil {
			t.Errorf("predicted 1 s, measured %s: %d off, want %d, %v", measured, off, want, err)
		}
	}
	for script, want := range map[string]string{"exit 3": "exit status 3", "exit 0": "does not print all metrics",
		"echo broken": "invalid character"} {
		write("#!/bin/sh\n" + script + "\n")
		if _, err := campaign(b); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", script, err, want)
		}
	}
}

// TestJudge covers intervals inside, outside and across the limits, and no interval at all.
func TestJudge(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		want      string
	}{
		{-0.01, 0.04, within}, {-0.04, -0.01, within}, {-0.06, 0.01, undecided}, {0.04, 0.06, undecided},
		{-0.2, 0.2, undecided},
		{0.05, 0.2, beyond}, {-0.2, -0.06, beyond}, {math.Inf(-1), math.Inf(1), undecided},
		{math.NaN(), math.NaN(), undecided},
	} {
		if got := judge(c.low, c.high); got != c.want {
			t.Errorf("%v to %v: %s, want %s", c.low, c.high, got, c.want)
		}
	}
}
