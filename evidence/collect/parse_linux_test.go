package collect

import "testing"

func TestParseProc(t *testing.T) {
	got := parseIO("rchar: 11\nwchar: 12\nsyscr: 3\nsyscw: 4\nread_bytes: 0\n")
	if want := (ioCounts{reads: 3, writes: 4, readBytes: 11, writeBytes: 12}); got != want {
		t.Errorf("%+v", got)
	}
	if parseIO("") != unknownIO() {
		t.Error("nothing is something")
	}
}
