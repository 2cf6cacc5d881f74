package main

import (
	"errors"
	"fmt"
	"os"
)

// latencyFile is the file by which a process limits the wake-up latency of idle CPUs, in µs, while it holds the file
// open (Linux, Documentation/power/pm_qos_interface.rst).
const latencyFile = "/dev/cpu_dma_latency"

// isDevice reports whether a file is a character device. A regular file of the name latencyFile does nothing.
func isDevice(mode os.FileMode) bool { return mode.Type() == os.ModeDevice|os.ModeCharDevice }

// stayAwake asks the kernel to keep idle CPUs out of sleep states until release is called, so that they wake at once: a
// host may take milliseconds to wake a CPU of a virtual machine. The path is that of latencyFile. If it is not what
// proper wants, or cannot be written, as on other systems than Linux, stayAwake returns an error, and release does
// nothing.
func stayAwake(path string, proper func(os.FileMode) bool) (release func() error, err error) {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return func() error { return nil }, err
	}
	info, err := f.Stat()
	if err == nil && !proper(info.Mode()) {
		err = fmt.Errorf("%s is no device of the kernel", path)
	}
	if err != nil {
		return func() error { return nil }, errors.Join(err, f.Close())
	}
	if _, err := f.Write(make([]byte, 4)); err != nil { // 0 µs, as a 32-bit integer
		return func() error { return nil }, errors.Join(err, f.Close())
	}
	return f.Close, nil
}
