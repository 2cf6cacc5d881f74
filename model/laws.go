package model

// Little is the mean number of customers in a system through which rate of them pass a second, each
// staying for the given mean time (Little 1961; Lazowska et al., Quantitative System Performance, 1984,
// ch. 3). It holds of any system and of any part of it in the long run, whatever the distributions.
func Little(rate, seconds float64) (number float64) { return rate * seconds }

// Utilization is the mean share of the servers that are busy, if rate customers are served a second, each
// for the given mean time (utilization law; Lazowska et al. 1984, ch. 3). Above 1 it is the load offered,
// which so many servers cannot carry.
func Utilization(rate, service float64, servers int) float64 {
	return rate * service / float64(servers)
}

// InteractiveResponse is the mean response time in seconds of a closed system with n customers who think
// for a mean of think seconds between requests (response time law; Lazowska et al. 1984, ch. 3):
// n/throughput - think. Where thinking takes most of the cycle, the difference has few digits.
func InteractiveResponse(n int, throughput, think float64) (seconds float64) {
	return float64(n)/throughput - think
}
