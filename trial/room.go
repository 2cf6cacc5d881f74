package trial

import (
	"runtime"
	"runtime/metrics"

	"github.com/brewput/brewput/internal/host"
)

// hasRoom tells a simulation whether memory has room for more goroutines, beside all else that this process does.
func hasRoom() bool {
	ask := func() bool {
		free, ok := host.FreeMemory()
		held, spare := memory()
		return !ok || fits(held, spare, free)
	}
	if ask() {
		return true
	}
	runtime.GC()
	return ask()
}

// fits reports whether a process uses no more than nine tenths of the memory that it could have: what it holds, what it has
// beside that and does not use, and what is free. That sum stays the same while the process grows.
func fits(held, spare, free uint64) bool { return held <= (held+spare+free)/10*9 }

// memory is how many bytes this process uses, and how many it has beside those and not given back.
func memory() (held, spare uint64) {
	s := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}, {Name: "/memory/classes/heap/free:bytes"}}
	metrics.Read(s)
	spare = s[2].Value.Uint64()
	return s[0].Value.Uint64() - s[1].Value.Uint64() - spare, spare
}
