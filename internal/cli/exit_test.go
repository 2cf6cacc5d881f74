package cli_test

import (
	"os"
	"runtime"
)

func exitGoroutine() { runtime.Goexit() }

// killSelf ends the process at once, as kill -9 does.
func killSelf() {
	p, err := os.FindProcess(os.Getpid())
	if err == nil {
		p.Kill()
	}
	select {}
}
