package main
import ("testing";"github.com/brewput/brewput/sim")
func BenchmarkMM1(b *testing.B) {
 for _, c := range []int{sim.Unlimited, 4} {
  b.Run(machine(c)+"/list", func(b *testing.B){ o, err := (&queue{customers: b.N, seed: 1}).list(c); if err!=nil {b.Fatal(err)}; b.ReportMetric(o.mean,"mean")})
  b.Run(machine(c)+"/go", func(b *testing.B){ o, err := (&queue{customers: b.N, seed: 1}).simulate(c); if err!=nil {b.Fatal(err)}; b.ReportMetric(o.mean,"mean")})
 }
}
func BenchmarkHold(b *testing.B) {
 for _, n := range []int{10,1000,10000} {
  b.Run(machine(n), func(b *testing.B){ o, err := model{n, b.N/n*n}.byLists(1); if err!=nil {b.Fatal(err)}; b.ReportMetric(o.mean,"mean")})
 }
}
