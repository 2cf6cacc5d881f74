package host

import (
	"fmt"

	"golang.org/x/sys/windows"
	"golang.org/x/sys/windows/registry"

	"github.com/brewput/brewput/result"
)

func readSystem(m *result.Machine) {
	v := windows.RtlGetVersion()
	m.Kernel = new(fmt.Sprintf("%d.%d.%d", v.MajorVersion, v.MinorVersion, v.BuildNumber))
	const allGroups = 0xffff // ALL_PROCESSOR_GROUPS of winnt.h
	if n := windows.GetActiveProcessorCount(allGroups); n > 0 {
		m.OnlineCPUs = new(int(n))
	}
	k, err := registry.OpenKey(registry.LOCAL_MACHINE, `HARDWARE\DESCRIPTION\System\CentralProcessor\0`,
		registry.QUERY_VALUE)
	if err != nil {
		return
	}
	defer k.Close()
	if name, _, err := k.GetStringValue("ProcessorNameString"); err == nil {
		m.CPUModel = known(name)
	}
}
