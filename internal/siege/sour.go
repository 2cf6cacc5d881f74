//go:build linux

package main

import (
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/brewput/brewput"
	"github.com/brewput/brewput/env"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// sourVariable makes this program a user's. Its value is a name in hexadecimal digits.
const sourVariable = "BREWPUT_USER_NAME"

// sourMain is the command of a user whose designs, locks, messages and panics have a name.
func sourMain(digits string) {
	name, err := hex.DecodeString(digits)
	if err != nil {
		fmt.Fprintln(os.Stderr, "siege:", err)
		os.Exit(2)
	}
	brewput.Main(sour(string(name)))
}

func sour(name string) *workload.Workload {
	burn := func(e env.Env, _ uint64) { e.Burn(10 * time.Microsecond) }
	return &workload.Workload{
		Name: "sour", Doc: "Names: " + name,
		Designs: []workload.Design{
			{Name: "lock", Doc: name, Stream: func(e env.Env, _ plan.Point) (workload.Stream, error) {
				lock, station := e.Mutex(name), e.Station(name)
				return workload.Stream{
					Op: func(e env.Env, request uint64) {
						lock.Lock()
						station.Enter()
						burn(e, request)
						station.Leave()
						lock.Unlock()
					},
					Check: func(uint64) (workload.Answer, error) { return workload.Answer{name: name}, nil },
				}, nil
			}},
			{Name: "panic", Doc: name, Stream: func(env.Env, plan.Point) (workload.Stream, error) {
				return workload.Stream{Op: func(env.Env, uint64) { panic(name) }}, nil
			}},
			{Name: "prints", Doc: name, Stream: func(env.Env, plan.Point) (workload.Stream, error) {
				return workload.Stream{Op: func(e env.Env, request uint64) {
					fmt.Fprintln(os.Stderr, name)
					os.Exit(3)
				}}, nil
			}},
			{Name: "wrong", Doc: name, Stream: func(env.Env, plan.Point) (workload.Stream, error) {
				return workload.Stream{Op: burn, Check: func(uint64) (workload.Answer, error) { return nil, errors.New(name) }}, nil
			}},
		},
	}
}
