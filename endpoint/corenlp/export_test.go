package corenlp

import (
	"github.com/brewput/brewput/endpoint"
	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// ServiceOf returns the server of a point and its requests, whose limits a test may change.
func ServiceOf(g workload.Given, p plan.Point) (*endpoint.Service, error) {
	found, err := install{java: g.Get("java"), dir: g.Get("jars")}.resolve()
	if err != nil {
		return nil, err
	}
	return found.service(p, p.Text("annotators")), nil
}
