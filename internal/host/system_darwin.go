package host

import (
	"golang.org/x/sys/unix"

	"github.com/brewput/brewput/result"
)

// readSystem reads sysctl values; names as in sysctl(3) of macOS.
func readSystem(m *result.Machine) {
	m.CPUModel = sysctl("machdep.cpu.brand_string")
	m.Kernel = sysctl("kern.osrelease")
	if n := sysctlInt("kern.hv_vmm_present"); n != nil {
		m.Hypervisor = new(*n != 0)
	}
	if b, err := unix.SysctlUint64("hw.memsize"); err == nil && b > 0 {
		m.MemoryBytes = &b
	}
	m.OnlineCPUs = sysctlInt("hw.activecpu")
	m.Cores = sysctlInt("hw.physicalcpu")
	if logical := sysctlInt("hw.logicalcpu"); logical != nil && m.Cores != nil && *m.Cores > 0 {
		m.ThreadsPerCore = new(*logical / *m.Cores)
	}
	if levels := sysctlInt("hw.nperflevels"); levels != nil && *levels == 2 {
		m.PerformanceCPUs = sysctlInt("hw.perflevel0.logicalcpu")
		m.EfficiencyCPUs = sysctlInt("hw.perflevel1.logicalcpu")
	}
}

func sysctl(name string) *string {
	s, err := unix.Sysctl(name)
	if err != nil {
		return nil
	}
	return known(s)
}

func sysctlInt(name string) *int {
	n, err := unix.SysctlUint32(name)
	if err != nil {
		return nil
	}
	return new(int(n))
}
