package env_test

import (
	"testing"
	"time"

	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/env/virtual"
)

// TestVirtualChanKeepsNothing checks that a Chan on a machine keeps no values of sends that were not carried out, or
// whose Select took another case.
func TestVirtualChanKeepsNothing(t *testing.T) {
	err := virtual.New(virtual.Config{CPUs: 2}).Run("body", func(e env.Env) {
		full, room, shut := env.NewChan[int](e, "full", 1), env.NewChan[int](e, "room", 1),
			env.NewChan[int](e, "shut", 1)
		full.Send(1)
		shut.Close()
		for i := range 100 {
			full.TrySend(i)
			env.Select(full.OnSend(i), room.OnSend(i))
			env.Select(full.OnSend(i), room.OnSend(i), env.Default)
			var at time.Duration
			env.Select(full.OnSend(i), room.OnSend(i), e.After(1).OnRecv(&at))
			func() {
				defer func() {
					if recover() == nil {
						t.Error("a send on a closed Chan does not panic")
					}
				}()
				env.Select(full.OnSend(i), shut.OnSend(i))
			}()
			if v, _ := room.Recv(); v != i {
				t.Errorf("received %d, want %d", v, i)
			}
		}
		for name, c := range map[string]*env.Chan[int]{"full": full, "room": room, "shut": shut} {
			if n := env.Kept(c); n > 2 {
				t.Errorf("%s keeps %d values of 100 rounds", name, n)
			}
		}
	})
	if err != nil {
		t.Error(err)
	}
}
