package model_test

import (
	"fmt"

	"github.com/brewput/brewput/model"
)

// The throughput was measured on 1 to 32 CPUs. FitUSL fits the universal scalability law, and Peak returns the number
// of CPUs beyond which more CPUs reduce the throughput.
func ExampleFitUSL() {
	cpus := []int{1, 2, 4, 8, 16, 32}
	perSecond := []float64{996, 1890, 3390, 5410, 6920, 6420}
	fit, err := model.FitUSL(cpus, perSecond)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("contention %.3f, coherency %.4f, R2 %.3f\n", fit.Sigma, fit.Kappa, fit.R2)
	if peak, ok := fit.Peak(); ok {
		fmt.Printf("at most %.0f/s, on %.0f CPUs\n", fit.Throughput(int(peak)), peak)
	}
	// Output:
	// contention 0.045, coherency 0.0025, R2 1.000
	// at most 6998/s, on 19 CPUs
}

// Three servers receive 2.4 times the work that one can do. How long do requests wait?
func ExampleMMc() {
	s, err := model.MMc(24, 0.1, 3) // 24 requests/s of 0.1 s each
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("busy %.0f%%, wait %.3f s, response %.3f s\n", 100*s.Utilization, s.Wait, s.Response)
	// Output:
	// busy 80%, wait 0.108 s, response 0.208 s
}

// A server stops for 50 ms, as in a garbage collection. Which of the requests that arrive every 10 ms notice it?
func ExampleKieferWolfowitz() {
	arrivals := []float64{0, 10, 20, 30, 40, 50, 60, 70} // ms
	services := []float64{4, 4, 4, 4, 4, 4, 4, 4}
	visits, err := model.KieferWolfowitz(arrivals, services, 1, model.Pause{From: 12, Length: 50})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, v := range visits {
		fmt.Print(v.Response, " ")
	}
	fmt.Println("ms")
	// Output:
	// 4 54 48 42 36 30 24 18 ms
}
