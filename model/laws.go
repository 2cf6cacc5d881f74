package model

// Little returns the mean number of customers in a system through which rate customers per second pass, each staying
// for the given mean time (Little 1961; Lazowska et al., Quantitative System Performance, 1984, ch. 3). It holds for
// every system and every part of it in the long run, for all distributions.
func Little(rate, seconds float64) (number float64) { return rate * seconds }

// Utilization returns the mean fraction of the servers in use if rate customers per second are served, each for the
// given mean time (utilization law; Lazowska et al. 1984, ch. 3). Above 1 it is the offered load, which the servers
// cannot carry.
func Utilization(rate, service float64, servers int) float64 {
	return rate * service / float64(servers)
}

// InteractiveResponse returns the mean response time in seconds of a closed system with n customers that think for a
// mean of think seconds between requests: n/throughput - think (response time law; Lazowska et al. 1984, ch. 3). If
// thinking takes most of the cycle, the difference has few digits.
func InteractiveResponse(n int, throughput, think float64) (seconds float64) {
	return float64(n)/throughput - think
}
