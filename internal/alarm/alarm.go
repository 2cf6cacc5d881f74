// Package alarm waits for kernel timers in the runtime's network poller, as a server waits for a request. The runtime
// rounds the sleep of an idle process to whole milliseconds of epoll_wait, so that time.Sleep ends up to 1.1 ms late.
// A kernel timer is some tens of microseconds late.
package alarm
