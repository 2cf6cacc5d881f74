package main

import (
	"errors"
	"os"
)

// latencyFile is the file by which a process limits the wake-up latency of idle CPUs, in µs, while it holds the file
// open (Linux, Documentation/power/pm_qos_interface.rst).
const latencyFile = "/dev/cpu_dma_latency"

// stayAwake keeps idle CPUs out of sleep states until release is called, so that they wake at once: a host may take
// milliseconds to wake a CPU of a virtual machine. The path is that of latencyFile. If it cannot be written, as on
// other systems than Linux, stayAwake returns an error, and release does nothing.
func stayAwake(path string) (release func() error, err error) {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return func() error { return nil }, err
	}
	if _, err := f.Write(make([]byte, 4)); err != nil { // 0 µs, as a 32-bit integer
		return func() error { return nil }, errors.Join(err, f.Close())
	}
	return f.Close, nil
}
