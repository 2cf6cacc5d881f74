package cli_test

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	_ "net/http/pprof" // for the behaviour profiled
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/brewput/brewput/internal/proc"
)

// serversFile is the environment variable with the name of a file to which each server adds its process ID.
const serversFile = "SERVERS"

// isMisbehave reports whether this process is the command misbehave of a script.
func isMisbehave() bool {
	return strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe") == "misbehave"
}

// dyingRequest is the request at which a server that dies does so: after the preflight.
const dyingRequest = 200

// unlucky is how many of the first servers of the behaviour unlucky fail a request.
const unlucky = 2

// misbehave is a server of known behaviour: misbehave BEHAVIOUR PORT.
func misbehave() {
	file, err := os.OpenFile(os.Getenv(serversFile), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o666)
	if err == nil {
		_, err = fmt.Fprintln(file, os.Getpid())
	}
	if err != nil || len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: misbehave BEHAVIOUR PORT:", err)
		os.Exit(2)
	}
	behaviour := os.Args[1]
	switch behaviour {
	case "never-ready":
		time.Sleep(time.Hour)
	case "slow":
		time.Sleep(100 * time.Millisecond)
	}

	listener, err := net.Listen("tcp", "127.0.0.1:"+os.Args[2])
	switch {
	case err != nil:
	case behaviour == "https": // with the certificate of an authority that nobody knows
		s := httptest.NewUnstartedServer(behaving(behaviour))
		s.Listener.Close()
		s.Listener = listener
		s.StartTLS()
		select {}
	default:
		err = http.Serve(listener, behaving(behaviour))
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// behaving returns the handler of a behaviour.
func behaving(behaviour string) http.Handler {
	var served atomic.Int64
	servers, _ := os.ReadFile(os.Getenv(serversFile))
	early := strings.Count(string(servers), "\n") <= unlucky
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := served.Add(1)
		switch behaviour {
		case "hang":
			<-r.Context().Done()
		case "reset":
			conn, _, err := http.NewResponseController(w).Hijack()
			if err == nil {
				conn.(*net.TCPConn).SetLinger(0)
				conn.Close()
			}
		case "endless":
			for text := []byte(strings.Repeat("coffee ", 100)); ; {
				if _, err := w.Write(text); err != nil {
					return
				}
			}
		case "redirect":
			http.Redirect(w, r, "http://127.0.0.1:1/elsewhere", http.StatusFound)
		case "unlucky":
			if n == 2 && early { // the only request of the load of a preflight
				http.Error(w, "no coffee", http.StatusInternalServerError)
				return
			}
			fmt.Fprintln(w, "coffee")
		case "profiled", "overloaded":
			if _, known := http.DefaultServeMux.Handler(r); known != "" {
				http.DefaultServeMux.ServeHTTP(w, r)
				return
			}
			if behaviour == "overloaded" && n > 1 {
				http.Error(w, "no coffee", http.StatusServiceUnavailable)
				return
			}
			fmt.Fprintln(w, "coffee")
		case "dies":
			if n >= dyingRequest {
				fmt.Fprintln(os.Stderr, "out of milk")
				os.Exit(5)
			}
			fallthrough
		default:
			fmt.Fprintln(w, "coffee")
		}
	})
}

// listens sets variables to ports of the loopback address on which the test itself listens until the script ends:
// listens VARIABLE...
func listens(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: listens VARIABLE...")
	}
	for _, name := range args {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		ts.Check(err)
		ts.Defer(func() { l.Close() })
		ts.Setenv(name, strconv.Itoa(l.Addr().(*net.TCPAddr).Port))
	}
}

// started checks that a number of servers was started since the last call, and that none of them runs: started NUMBER.
func started(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: started NUMBER")
	}
	name := ts.Getenv(serversFile)
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	ts.Check(err)
	os.Remove(name)
	pids := strings.Fields(string(text))
	if n := strconv.Itoa(len(pids)); n != args[0] {
		ts.Fatalf("%s servers were started, want %s", n, args[0])
	}
	for _, pid := range pids {
		stat, err := os.ReadFile("/proc/" + pid + "/stat")
		if s, ok := proc.ParseStat(string(stat)); err == nil && (!ok || s.State != 'Z' && s.State != 'X') {
			ts.Fatalf("server %s still runs", pid)
		}
	}
}
