package proc

import (
	"os"
	"syscall"
)

// heldStreams returns nothing: on Windows a child inherits only its standard streams.
func heldStreams() []*os.File { return nil }

// ownSession is OwnGroup.
func ownSession() *syscall.SysProcAttr { return OwnGroup() }

// prepareKeeper does nothing on Windows.
func prepareKeeper() {}
