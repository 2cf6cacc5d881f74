package endpoint

import (
	"encoding/binary"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/brewput/brewput/internal/quote"
)

// listeners returns the socket inodes of those who listen on a port at the addresses of a loopback client, from
// /proc/net/tcp and tcp6 (proc_net_tcp(5)).
func listeners(port int) (inodes []string) {
	for _, file := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		text, _ := os.ReadFile(file)
		inodes = append(inodes, parseListeners(string(text), port)...)
	}
	return inodes
}

// parseListeners returns the inodes of the lines that listen on a port.
func parseListeners(text string, port int) (inodes []string) {
	const (
		address, state, inode = 1, 3, 9 // columns
		listening             = "0A"
	)
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) <= inode || fields[state] != listening {
			continue
		}
		host, number, _ := strings.Cut(fields[address], ":")
		if n, err := strconv.ParseUint(number, 16, 16); err == nil && int(n) == port && reachable(host) {
			inodes = append(inodes, fields[inode])
		}
	}
	return inodes
}

// reachable reports whether an address of /proc/net/tcp is a loopback address or that of all interfaces. The file has
// hexadecimal words of 32 bits in the byte order of the machine. An IPv4 address may be mapped into IPv6.
func reachable(host string) bool {
	var ip net.IP
	for ; len(host) >= 8; host = host[8:] {
		word, err := strconv.ParseUint(host[:8], 16, 32)
		if err != nil {
			return false
		}
		ip = binary.NativeEndian.AppendUint32(ip, uint32(word))
	}
	return host == "" && (ip.IsLoopback() || ip.IsUnspecified())
}

// owned returns an error if a listener on the local port of the target belongs to none of the processes. They are read
// after the listeners, so that they include a process that has just begun to listen on a shared port.
func (r readiness) owned(processes func() []int) error {
	port, local := r.port()
	if !local {
		return nil
	}
	others, hidden := sockets(port), false
	for _, pid := range processes() {
		held, err := holds(pid, others)
		hidden = hidden || os.IsPermission(err)
		for _, socket := range held {
			delete(others, socket)
		}
	}
	if len(others) == 0 || hidden {
		return nil
	}
	return fmt.Errorf("port %d belongs to another process%s", port, portUser(port))
}

// sockets returns the sockets that listen on a port, as /proc/PID/fd names them.
func sockets(port int) map[string]bool {
	found := map[string]bool{}
	for _, inode := range listeners(port) {
		found["socket:["+inode+"]"] = true
	}
	return found
}

// holds returns which of the open files a process has.
func holds(pid int, wanted map[string]bool) (held []string, err error) {
	dir := fmt.Sprintf("/proc/%d/fd", pid)
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if target, err := os.Readlink(filepath.Join(dir, e.Name())); err == nil && wanted[target] {
			held = append(held, target)
		}
	}
	return held, err
}

// portUser names who listens on a port, as " by NAME (process ID)", or is "" if that is unknown.
func portUser(port int) string {
	wanted := sockets(port)
	if len(wanted) == 0 {
		return ""
	}
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		pid, err := strconv.Atoi(filepath.Base(dir))
		if err != nil {
			continue
		}
		if held, _ := holds(pid, wanted); len(held) > 0 {
			name, _ := os.ReadFile(filepath.Join(dir, "comm"))
			return fmt.Sprintf(" by %s (process %d)", quote.Line(strings.TrimSpace(string(name))), pid)
		}
	}
	return ""
}

// listening reports whether somebody listens on a port of this machine.
func listening(port int) bool { return len(listeners(port)) > 0 }
