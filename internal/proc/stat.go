package proc

import (
	"strconv"
	"strings"
	"time"
)

// Stat is what the kernel reports of a process, or of a thread, in /proc/PID/stat (proc(5)).
type Stat struct {
	Name                   string
	State                  byte // such as R for running, Z for a zombie, X for dead
	Parent, Group, Session int
	CPU                    time.Duration // user and system time
	ChildCPU               time.Duration // the same of its children that have ended and were waited for
	Start                  uint64        // in clock ticks since boot; distinguishes processes that had the same ID
}

// clockTick is the unit of times in /proc, 1 s / USER_HZ: 10 ms on every Linux that Go supports.
const clockTick = 10 * time.Millisecond

// ParseStat parses the text of /proc/PID/stat; ok is false if it is incomplete. The name, in parentheses, may contain
// any characters, also spaces and parentheses.
func ParseStat(text string) (s Stat, ok bool) {
	from, to := strings.IndexByte(text, '('), strings.LastIndexByte(text, ')')
	if from < 0 || to < from {
		return s, false
	}
	fields := strings.Fields(text[to+1:]) // from field 3 of proc(5), the state
	if len(fields) < 20 || len(fields[0]) != 1 {
		return s, false
	}
	ok = true
	number := func(field int) int64 {
		n, err := strconv.ParseInt(fields[field-3], 10, 64)
		ok = ok && err == nil
		return n
	}
	s = Stat{Name: text[from+1 : to], State: fields[0][0],
		Parent: int(number(4)), Group: int(number(5)), Session: int(number(6)),
		CPU:      time.Duration(number(14)+number(15)) * clockTick,
		ChildCPU: time.Duration(number(16)+number(17)) * clockTick,
		Start:    uint64(number(22))}
	return s, ok
}
