package sim_test

import (
	"fmt"
	"time"

	"github.com/brewput/brewput/sim"
)

// A coffee shop has two baristas and one line. Customers arrive at random, 15 ms apart on average, and serving one
// takes 20 ms on average. Customers and baristas are lists of operations in virtual time; no Go code runs for them.
func Example() {
	const customers, gap, service = 100_000, int64(15 * time.Millisecond), int64(20 * time.Millisecond)
	line, inside := sim.NewChan("line", customers), new(sim.Gauge)

	street := sim.NewProgram("street")
	street.Set(sim.R0, customers)
	arrive := street.Here()
	street.Exp(sim.R1, gap, sim.NewStream(1, 0))
	street.Sleep(sim.R1)
	street.Gauge(inside, 1)
	street.Send(line, sim.R0)
	street.Loop(sim.R0, arrive)
	street.Close(line)

	barista := sim.NewProgram("barista")
	closed := barista.NewLabel()
	next := barista.Here()
	barista.Recv(line, sim.R0, closed)
	barista.Exp(sim.R1, service, sim.NewStream(1, 1))
	barista.Burn(sim.R1)
	barista.Gauge(inside, -1)
	barista.Jump(next)
	barista.Bind(closed)

	shop := sim.NewProgram("shop")
	shop.Spawn(barista)
	shop.Spawn(barista)
	shop.Spawn(street)
	k := sim.New(sim.Config{CPUs: sim.Unlimited, Seed: 1})
	k.Start(k.Goroutine(shop))
	k.Run()
	if err := k.Err(); err != nil {
		fmt.Println(err)
		return
	}

	present := float64(inside.Integral(k.Now())) / float64(k.Now())
	fmt.Printf("%.2f customers are in the shop on average; M/M/2 says 2.40\n", present)
	fmt.Printf("%.0f%% of the baristas are busy\n", 100*float64(k.Busy())/float64(2*k.Now()))
	// Output:
	// 2.36 customers are in the shop on average; M/M/2 says 2.40
	// 66% of the baristas are busy
}
