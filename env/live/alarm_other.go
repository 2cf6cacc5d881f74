//go:build !linux

package live

import "time"

// alarms are kernel timers in the network poller, which this system does not have.
type alarms struct{}

func (*alarms) wait(time.Duration) bool { return false }

func (*alarms) close() {}
