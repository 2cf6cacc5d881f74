package words

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/env/live"
	"github.com/brewput/brewput/internal/workloadtest"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// scans returns all scans for a rule, by name.
func scans(r rule) map[string]scan {
	all := map[string]scan{"table": r.table(), "swar": r.swar}
	for name, count := range vectors(r) {
		all[name] = count
	}
	return all
}

// some returns n random bytes of a kind.
func some(r *rand.Rand, n int) []byte {
	alphabets := []string{"", " a", " a\x01", "\t\n\v\f\r \x08\x0e!~\x7f\x1f\x80\xa0\xff", "aaaaaaaa ", "\x00\x01\x80 ",
		"   ", "words", "caf\u00e9 \r\n"}
	p := make([]byte, n)
	letters := alphabets[r.IntN(len(alphabets))]
	for i := range p {
		if p[i] = byte(r.UintN(256)); letters != "" {
			p[i] = letters[int(p[i])%len(letters)]
		}
	}
	return p
}

// same checks all scans of p, and joins of its pieces at the cuts, against the simplest scan.
func same(t *testing.T, p []byte, cuts []int) {
	t.Helper()
	for _, r := range []rule{anyRun, printing} {
		want := r.simplest(tally{}, p)
		for name, count := range scans(r) {
			if got := count(tally{}, p); got != want {
				t.Errorf("%s by the rule %s: %+v, want %+v, in %q", name, r, got, want, p)
			}
			var one, joined tally
			from := 0
			for _, to := range append(cuts, len(p)) {
				one = count(one, p[from:to])
				joined = joined.join(r.pieceOf(count, p[from:to]))
				if before := r.simplest(tally{}, p[:to]); one != before || joined != before {
					t.Fatalf("%s by the rule %s, cut at %v: on end %+v, joined %+v, want %+v, in %q", name, r, cuts,
						one, joined, before, p[:to])
				}
				from = to
			}
		}
	}
}

// TestScans compares every scan with the simplest on 10,000 random strings with random cuts.
func TestScans(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 1))
	for range 10_000 {
		p := some(r, r.IntN(300))
		var cuts []int
		for at := 0; at < len(p); at += r.IntN(150) {
			cuts = append(cuts, at)
		}
		if same(t, p, cuts); t.Failed() {
			return
		}
	}
}

// TestEveryByte covers each pair of bytes at each position in 64 bytes.
func TestEveryByte(t *testing.T) {
	p := make([]byte, 0, 70*256)
	for b := range 256 {
		for _, c := range "a \x01\n\x80!" {
			p = append(p, byte(b), byte(c))
		}
	}
	for shift := range 65 {
		if same(t, p[shift:], nil); t.Failed() {
			return
		}
	}
}

// TestEveryCut covers every cut of some hard cases.
func TestEveryCut(t *testing.T) {
	for _, s := range []string{"", " ", "a", "\x01", "one two", " one\r\ntwo ", "\x01a\x01 \x01",
		"a\x00\x00\x00b \x00\x00", "\x80\x81 \x82a", "a\x01 \x01a", strings.Repeat("\x01", 70) + "a",
		"no.\vwords\flost\x7f"} {
		for cut := range len(s) + 1 {
			for second := cut; second <= len(s); second++ {
				same(t, []byte(s), []int{cut, second})
			}
		}
	}
}

func FuzzScans(f *testing.F) {
	f.Add([]byte("Call me Ishmael. Some years ago\xe2\x80\x94never mind"), 3, 9)
	f.Add([]byte(strings.Repeat(" \x01a", 50)), 64, 65)
	f.Fuzz(func(t *testing.T, p []byte, a, b int) {
		a, b = min(max(a, 0), len(p)), min(max(b, 0), len(p))
		same(t, p, []int{min(a, b), max(a, b)})
	})
}

// point returns the point of a design that counts a file.
func point(file string, chunk, cpus int, rule string) plan.Point {
	return plan.NewPoint(plan.Setting{Factor: "cpus", Level: plan.IntLevel(cpus)},
		plan.Setting{Factor: "file", Level: plan.TextLevel(file)},
		plan.Setting{Factor: "rule", Level: plan.TextLevel(rule)},
		plan.Setting{Factor: "chunk", Level: plan.IntLevel(chunk)})
}

// count runs a design in the live world and returns its answer.
func count(t *testing.T, d workload.Design, p plan.Point) (workload.Answer, error) {
	t.Helper()
	return workloadtest.Answer(t, live.New(live.Config{Seed: 1}).Run, d, p)
}

// TestDesigns checks that every design agrees with the simplest scan on any file, with any chunk size and number of
// CPUs. The originals do not.
func TestDesigns(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	files := map[string][]byte{"empty": nil, "spaces": bytes.Repeat([]byte(" "), 1000),
		"word": bytes.Repeat([]byte("w"), 1000), "prose": []byte(strings.Repeat("It is, I say, a whale. ", 99)),
		"zeros": make([]byte, 700)}
	for i := range 6 {
		files[fmt.Sprint("random", i)] = some(r, 2000)
	}
	dir := t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, text, 0o666); err != nil {
			t.Fatal(err)
		}
		for _, by := range []rule{anyRun, printing} {
			want := by.simplest(tally{}, text).words
			for _, d := range Workload().Designs {
				if d.Reference || d.Expect == workload.Bound {
					continue
				}
				for _, chunk := range []int{64, 100, 1 << 16} {
					answer, wrong := count(t, d, point(file, chunk, 3, by.String()))
					switch {
					case d.Expect == workload.WrongAnswer:
						if name == "prose" && (wrong == nil || answer["words"] != 99*3) {
							t.Errorf("%s does not lose the words before punctuation: %v", d.Name, answer)
						}
					case wrong != nil || answer["words"] != want || answer["rule"] != by.String() ||
						answer["bytes"] != int64(len(text)):
						t.Errorf("%s of %s in chunks of %d: %v (%v), want %d words", d.Name, name, chunk, answer, wrong,
							want)
					}
				}
			}
		}
	}
}

// TestPeers checks the designs that run wc and cat, if this system has them.
func TestPeers(t *testing.T) {
	if _, err := exec.LookPath("wc"); err != nil {
		return
	}
	file := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(file, []byte("a b\x01 \x01 \xc3\xa9 c"), 0o666); err != nil {
		t.Fatal(err)
	}
	by, version, err := ruleHere()
	if err != nil || version == "" {
		t.Fatalf("%v, %q, %v", by, version, err)
	}
	for _, d := range Workload().Designs {
		if d.Reference {
			answer, wrong := count(t, d, point(file, 64, 1, spaceName))
			if wrong != nil || d.Name == "wc" && (answer["rule"] != by.String() || answer["rule_of"] != version) ||
				d.Name == "wc-utf8" && answer["rule"] != "C.UTF-8, not checked" {
				t.Errorf("%s: %v, %v", d.Name, answer, wrong)
			}
		}
	}
	if answer, wrong := count(t, mustFind(t, "swar"), point(file, 64, 1, asWC)); wrong != nil ||
		answer["rule"] != by.String() || answer["rule_of"] != version {
		t.Errorf("%v, %v", answer, wrong)
	}
}

func mustFind(t *testing.T, name string) workload.Design {
	t.Helper()
	d, ok := Workload().Find(name)
	if !ok {
		t.Fatalf("there is no design %s", name)
	}
	return d
}

// TestAsWC compares wc with the simplest scan, by the detected rule, on 10,000 random strings.
func TestAsWC(t *testing.T) {
	by, version, err := ruleHere()
	if err != nil {
		t.Fatal(err)
	}
	if version == "" {
		return
	}
	r := rand.New(rand.NewPCG(9, 1))
	dir := t.TempDir()
	for range 10 {
		var names []string
		var want []int
		for i := range 1000 {
			name, text := filepath.Join(dir, strconv.Itoa(i)), some(r, r.IntN(200))
			if err := os.WriteFile(name, text, 0o666); err != nil {
				t.Fatal(err)
			}
			names, want = append(names, name), append(want, by.simplest(tally{}, text).words)
		}
		cmd := exec.Command("wc", append([]string{"-w"}, names...)...)
		cmd.Env = append(os.Environ(), "LC_ALL=C")
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(string(out), "\n")
		for i, n := range want {
			if fields := strings.Fields(lines[i]); fields[0] != strconv.Itoa(n) {
				text, _ := os.ReadFile(names[i])
				t.Fatalf("%s says %s, the rule %s %d, of %q", version, fields[0], by, n, text)
			}
		}
	}
}

// TestGenerated checks the size and the number of words of the generated file, by both rules.
func TestGenerated(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", filepath.Join(t.TempDir(), "a[b")) // no pattern
	for _, size := range []int64{0, 1, 2, 63, 1000, 1_000_000} {
		path, words, err := generated(size)
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(path)
		if err != nil || int64(len(text)) != size {
			t.Fatalf("%d bytes, want %d (%v)", len(text), size, err)
		}
		if a, b := anyRun.simplest(tally{}, text).words, printing.simplest(tally{}, text).words; a != words ||
			b != words {
			t.Errorf("%d words by construction, %d and %d by the rules", words, a, b)
		}
		if again, n, err := generated(size); again != path || n != words || err != nil {
			t.Errorf("it is made again: %s, %d, %v", again, n, err)
		}
	}
	if _, words, _ := generated(1_000_000); words < 120_000 || words > 180_000 {
		t.Errorf("%d words in a million bytes", words)
	}
	if _, _, err := generated(-1); err == nil {
		t.Error("a file of less than nothing")
	}
}

func TestCheck(t *testing.T) {
	file := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{file: "", filepath.Dir(file): "not a regular file",
		file + "x": "no such file"} {
		if err := check(point(path, 64, 1, asWC)); (err == nil) != (want == "") ||
			err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
	if err := check(point(file, 64, 1, asWC).With("size", plan.IntLevel(1))); err == nil ||
		!strings.Contains(err.Error(), "give one of them") {
		t.Errorf("%v", err)
	}
}

// TestShrunk checks that a file that became shorter is an error.
func TestShrunk(t *testing.T) {
	file := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(file, make([]byte, 1000), 0o666); err != nil {
		t.Fatal(err)
	}
	in, err := newInput(point(file, 64, 2, spaceName))
	if err != nil {
		t.Fatal(err)
	}
	in.size = 2000
	live.New(live.Config{Seed: 1}).Run("load", func(e env.Env) {
		if n, err := in.chunked(e, in.rule.swar); err == nil ||
			!strings.Contains(err.Error(), io.ErrUnexpectedEOF.Error()) {
			t.Errorf("%d words, %v", n, err)
		}
	})
}

func TestValid(t *testing.T) {
	if err := Workload().Validate(); err != nil {
		t.Error(err)
	}
}

func BenchmarkScans(b *testing.B) {
	var text bytes.Buffer
	if _, err := write(&text, 256<<10); err != nil {
		b.Fatal(err)
	}
	for _, r := range []rule{anyRun, printing} {
		for name, count := range scans(r) {
			b.Run(r.String()+"/"+name, func(b *testing.B) {
				b.SetBytes(int64(text.Len()))
				for b.Loop() {
					count(tally{}, text.Bytes())
				}
			})
		}
	}
}
