package report

import (
	"bytes"
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
		"doctor-unicode-100.txt": {Width: 100, Unicode: true},
		"doctor-ascii-60.txt":    {Width: 60},
		"doctor-color.txt":       {Width: 100, Unicode: true, Color: true},
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

func TestDoctorCannotWrite(t *testing.T) {
	checks, verdict := patient()
	if Doctor(failing{}, nil, checks, verdict, Style{}) == nil {
		t.Error("Doctor swallows the error of its writer")
	}
}
