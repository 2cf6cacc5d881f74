package report

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/brewput/brewput/doctor"
	"github.com/brewput/brewput/result"
)

// patient is a laptop with a check of every status.
func patient() ([]doctor.Check, doctor.Report) {
	return doctor.Judge(doctor.Readings{
		Program: "brewput", CPUs: 4, Online: doctor.Read(8), Procs: 4, ProcsFrom: "affinity",
		Cores: doctor.Read(doctor.Cores{}), Hypervisor: doctor.Read(false),
		Load1: doctor.Read(1.25), Window: 14 * time.Second, Others: doctor.Read(0.3), Steal: doctor.Read(0.0),
		Throttled: doctor.Read(uint64(12)), Heat: doctor.Absent[uint64](), Swapped: doctor.Read(uint64(0)),
		Quota:     doctor.Read(doctor.Quota{CPUs: 2.5, File: "/sys/fs/cgroup/user.slice/cpu.max", Lift: "max"}),
		Governors: doctor.Read([]string{"powersave"}),
		Boost: doctor.Read(doctor.Boost{On: true, File: "/sys/devices/system/cpu/intel_pstate/no_turbo",
			Write: "1"}),
		SMT: doctor.Read(doctor.SMT{Threads: 2, Usable: 2, One: "0,1"}), ClockSource: doctor.Read("tsc"),
		ClockRead:   doctor.Read(41 * time.Nanosecond),
		TimerSlack:  doctor.Read(50 * time.Microsecond),
		Sleep:       doctor.Read(doctor.Lateness{N: 100, Median: 540 * time.Microsecond, P90: time.Millisecond}),
		Timer:       doctor.Read(doctor.Lateness{N: 100, Median: 61 * time.Microsecond, P90: 93 * time.Microsecond}),
		MemoryTotal: doctor.Read(uint64(16e9)), MemoryAvailable: doctor.Read(uint64(9e9)), Race: doctor.Read(false),
		GOGC: "100", GOMEMLIMIT: "off",
	}, []doctor.Noise{{CPUs: 1, Blocks: 10, HalfWidth: 0.008}, {CPUs: 4, Blocks: 10, HalfWidth: result.Value(0.021)}})
}

func TestDoctor(t *testing.T) {
	about := []string{"doctor", "Some CPU", "4 CPUs", "linux/amd64", "go1.26.0"}
	for name, st := range map[string]Style{
		"doctor-unicode-80.txt":  {Width: 80, Unicode: true},
		"doctor-unicode-100.txt": {Width: 100, Unicode: true, Full: true},
		"doctor-ascii-60.txt":    {Width: 60, Full: true},
		"doctor-color.txt":       {Width: 100, Unicode: true, Color: true, Full: true},
	} {
		t.Run(name, func(t *testing.T) {
			checks, verdict := patient()
			var b bytes.Buffer
			if err := Doctor(&b, about, checks, verdict, st); err != nil {
				t.Fatal(err)
			}
			golden(t, name, b.Bytes())
			for line := range strings.Lines(b.String()) {
				// A command is never broken, so that it can be copied.
				if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); !st.Color && n > st.Width &&
					!strings.HasPrefix(line, "  > ") && !strings.HasPrefix(line, "  → ") {
					t.Errorf("%d columns: %q", n, line)
				}
			}
			if !st.Color {
				for _, c := range checks {
					if f := c.Fixes(); len(f) > 0 && !strings.Contains(b.String(), st.ascii(f[0])+"\n") {
						t.Errorf("%s: the fix %q is broken or missing", c.Name, f[0])
					}
				}
			}
		})
	}
}

// TestDoctorAnswersLast: at 80 columns each check that is not good has at most three lines, good ones have none, and
// the verdict is last.
func TestDoctorAnswersLast(t *testing.T) {
	checks, verdict := patient()
	var b bytes.Buffer
	if err := Doctor(&b, []string{"doctor"}, checks, verdict, Style{Width: 80, Unicode: true}); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	end := strings.Join(strings.Fields(page), " ")
	if !strings.HasSuffix(end, strings.Join(verdict.Answer(), " ")) {
		t.Errorf("the verdict is not last:\n%s", page)
	}
	_, body, _ := strings.Cut(page, "\n\n")
	blocks := map[string]int{}
	name := ""
	for line := range strings.Lines(strings.Split(body, "\n\n")[0]) {
		if !strings.HasPrefix(line, " ") {
			name = strings.Fields(line)[0]
		}
		blocks[name]++
	}
	for _, c := range checks {
		if n := blocks[c.Name]; (n > 0) != c.NotGood() || n > 3 {
			t.Errorf("%s is %s and has %d lines:\n%s", c.Name, c.Status, n, page)
		}
	}
}

// TestDoctorJSON: the answer is the last record.
func TestDoctorJSON(t *testing.T) {
	checks, verdict := patient()
	var b bytes.Buffer
	if err := DoctorJSON(&b, checks, verdict); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	answer, err := json.Marshal(verdict.Answer())
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"kind":"answer","schema_version":1,"text":` + string(answer) + `}`; lines[len(lines)-1] != want {
		t.Errorf("got  %s\nwant %s", lines[len(lines)-1], want)
	}
	if n := len(checks) + 2; len(lines) != n {
		t.Errorf("%d lines, want %d", len(lines), n)
	}
}

func TestDoctorCannotWrite(t *testing.T) {
	checks, verdict := patient()
	if Doctor(failing{}, nil, checks, verdict, Style{}) == nil || DoctorJSON(failing{}, checks, verdict) == nil {
		t.Error("Doctor swallows the error of its writer")
	}
}
