//go:build unix && !linux

package proc

import "syscall"

// DieWithParent is OwnGroup: a child outlives a parent that is killed.
func DieWithParent() *syscall.SysProcAttr { return OwnGroup() }
