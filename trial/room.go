package trial

import (
	"math"
	"runtime"
	"runtime/metrics"

	"github.com/brewput/brewput/internal/host"
)

// room tells a simulation whether memory has room for more goroutines.
func room(spec Spec) func() bool {
	if spec.Room != nil {
		return spec.Room
	}
	most := uint64(0) // that this process may take
	return func() bool {
		if most == 0 {
			most = math.MaxUint64
			if free, ok := host.FreeMemory(); ok {
				held, spare := memory()
				most = held + spare + free/10*9
			}
		}
		if held, _ := memory(); held <= most {
			return true
		}
		runtime.GC()
		held, _ := memory()
		return held <= most
	}
}

// memory is how many bytes this process uses, and how many it has beside those and not given back.
func memory() (held, spare uint64) {
	s := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}, {Name: "/memory/classes/heap/free:bytes"}}
	metrics.Read(s)
	spare = s[2].Value.Uint64()
	return s[0].Value.Uint64() - s[1].Value.Uint64() - spare, spare
}
