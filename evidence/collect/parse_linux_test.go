package collect

import (
	"testing"
	"time"
)

func TestParseProc(t *testing.T) {
	got := parseIO("rchar: 11\nwchar: 12\nsyscr: 3\nsyscw: 4\nread_bytes: 0\n")
	if want := (ioCounts{reads: 3, writes: 4, readBytes: 11, writeBytes: 12}); got != want {
		t.Errorf("%+v", got)
	}
	if parseIO("") != unknownIO() {
		t.Error("nothing is something")
	}
	// Fields 14 to 17 of proc(5) are utime, stime, cutime, cstime.
	const stat = "12 (a ) b) Z 1 12 12 0 -1 4 95 0 0 0 7 8 25 5 20 0 1 0"
	if got := parseChildren(stat); got != 300*time.Millisecond {
		t.Errorf("%v", got)
	}
	if parseChildren("") != 0 {
		t.Error("nothing is something")
	}
}
