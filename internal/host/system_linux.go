package host

import (
	"os"

	"github.com/brewput/brewput/result"
)

func readSystem(m *result.Machine) { linuxFiles(os.DirFS("/"), m) }
