package proc

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	// placeVariable marks what is started with a place, and all that this starts: the environment is inherited.
	workRootVariable = "BREWPUT_PLACE"
	// groupsName is the file of a place that has a line for each group that was started with it.
	groupsName = "groups"
	// endRounds times endWait is how long EndRecorded waits for what it ended.
	endRounds, endWait = 200, 5 * time.Millisecond
)

// Mark is what the environment of a child needs that is started with a place: a directory that no other has.
func Mark(place string) string { return workRootVariable + "=" + place }

// Record notes in a place the process group of a child that was started by [OwnGroup] or [DieWithParent], so that
// [EndRecorded] can end it.
func Record(place string, child *os.Process) error {
	p, err := processAt(child.Pid)
	if err != nil {
		return nil // it has ended
	}
	f, err := os.OpenFile(filepath.Join(place, groupsName), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(f, p.pid, p.start, p.session, bootID())
	if also := f.Close(); err == nil {
		err = also
	}
	return err
}

// EndRecorded ends what was started with a place and is still alive: every process with its mark, and the members of
// the groups that were recorded there. Numbers of processes are used again, so a group counts only if its leader, or
// what is left of it, started when the record says. The caller has made sure that nobody uses the place.
func EndRecorded(place string) {
	groups := recorded(filepath.Join(place, groupsName))
	mark := []byte(Mark(place))
	for range endRounds {
		found := survivors(groups, mark)
		if len(found) == 0 {
			return
		}
		for _, p := range found {
			p.kill()
		}
		time.Sleep(endWait)
	}
}

// process is what the kernel tells of a process.
type process struct {
	pid, group, session int
	start               uint64 // ticks since the machine started
	state               byte
}

// recorded reads a file of groups; those before the machine was started are gone.
func recorded(file string) map[int]process {
	groups := map[int]process{}
	info, err := os.Lstat(file)
	if err != nil || !info.Mode().IsRegular() || info.Size() > 1<<20 {
		return groups
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return groups
	}
	boot := bootID()
	for line := range strings.Lines(string(text)) {
		var p process
		of := ""
		if n, _ := fmt.Sscan(line, &p.pid, &p.start, &p.session, &of); n == 4 && of == boot && p.pid > 1 {
			groups[p.pid] = p
		}
	}
	return groups
}

// leftOf are the processes that are still alive, without this one.
func survivors(groups map[int]process, mark []byte) (left []process) {
	names, _ := filepath.Glob("/proc/[0-9]*")
	for _, name := range names {
		pid, err := strconv.Atoi(filepath.Base(name))
		if err != nil || pid == os.Getpid() || pid <= 1 {
			continue
		}
		p, err := processAt(pid)
		if err != nil || p.state == 'Z' || p.state == 'X' {
			continue
		}
		environ, _ := os.ReadFile(name + "/environ") // empty where it may not be read
		if inRecordedGroup(groups, p) || hasMark(environ, mark) {
			left = append(left, p)
		}
	}
	return left
}

// marked reports whether an environment has a mark.
func hasMark(environ, mark []byte) bool {
	for entry := range bytes.SplitSeq(environ, []byte{0}) {
		if bytes.Equal(entry, mark) {
			return true
		}
	}
	return false
}

// within reports whether a process belongs to a group as it was recorded.
func inRecordedGroup(groups map[int]process, p process) bool {
	was, ok := groups[p.group]
	if !ok {
		return false
	}
	if p.pid == was.pid {
		return p.start == was.start
	}
	// The kernel keeps the number while the group has a member. A living leader of another age is of another group.
	if leader, err := processAt(was.pid); err == nil && leader.start != was.start {
		return false
	}
	return p.start >= was.start && p.session == was.session
}

// kill ends a process, unless its number has gone to another.
func (p process) kill() {
	handle, err := os.FindProcess(p.pid)
	if err != nil {
		return
	}
	defer handle.Release()
	if now, err := processAt(p.pid); err == nil && now.start == p.start {
		handle.Signal(syscall.SIGKILL)
	}
}

// processAt reads /proc/PID/stat (proc(5)), whose second field may hold blanks and parentheses.
func processAt(pid int) (process, error) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return process{}, err
	}
	return parseStat(pid, string(text))
}

func parseStat(pid int, text string) (process, error) {
	fields := strings.Fields(text[strings.LastIndexByte(text, ')')+1:])
	if len(fields) < 20 || len(fields[0]) != 1 {
		return process{}, fmt.Errorf("/proc/%d/stat has %d fields after the name", pid, len(fields))
	}
	p := process{pid: pid, state: fields[0][0]}
	var errs [3]error
	p.group, errs[0] = strconv.Atoi(fields[2])
	p.session, errs[1] = strconv.Atoi(fields[3])
	p.start, errs[2] = strconv.ParseUint(fields[19], 10, 64)
	for _, err := range errs {
		if err != nil {
			return process{}, err
		}
	}
	return p, nil
}

// bootID names the time since the machine was started.
func bootID() string {
	text, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if id := strings.TrimSpace(string(text)); id != "" {
		return id
	}
	return "unknown"
}
