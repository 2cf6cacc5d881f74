package host

import "os"

func readSystem(m *Machine) { linuxFiles(os.DirFS("/"), m) }
