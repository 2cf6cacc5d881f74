package plugin

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"reflect"
	"runtime"
	"strconv"
	"strings"

	"github.com/brewput/brewput/trial"
	"github.com/brewput/brewput/workload"
	"github.com/brewput/brewput/workload/source"
)

// Main is the main function of a program that adds designs. core are the workloads, with their sources, and extra holds
// the same workloads with the added designs instead, and the sources of these. Main runs a trial or prints the manifest
// if brewput started the program for that, and otherwise says what the program is for. It does not return.
func Main(core, extra []*workload.Workload) {
	trial.Main(extra...)
	asked := os.Getenv(Sentinel)
	m, err := manifest(core, extra)
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", Name, err)
		os.Exit(1)
	}
	if asked == "" {
		describe(os.Stdout, m)
		os.Exit(0)
	}
	if number, _, _ := strings.Cut(asked, " "); number != strconv.Itoa(Protocol) {
		m.Workloads = nil // the other side refuses it and names both versions
	}
	if err := json.NewEncoder(os.Stdout).Encode(m); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", Name, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// describe says what the program is for.
func describe(w io.Writer, m Manifest) {
	fmt.Fprintf(w, "%s %s adds designs to brewput, which runs it. Put it next to brewput, or its path into $%s.\n",
		Name, m.Version, Variable)
	for _, x := range m.Workloads {
		for _, d := range x.Designs {
			fmt.Fprintf(w, "  %s/%s\t%s\n", x.Name, d.Name, d.Doc)
		}
	}
}

// manifest lists the designs of extra.
func manifest(core, extra []*workload.Workload) (Manifest, error) {
	m := Manifest{Protocol: Protocol, Version: Version(), Build: here(), Sources: sourcesSum(core)}
	for _, w := range extra {
		if err := w.Validate(); err != nil {
			return m, err
		}
		if _, err := workload.Find(core, w.Name); err != nil {
			return m, err
		}
		listed := Workload{Name: w.Name}
		for _, d := range w.Designs {
			listed.Designs = append(listed.Designs, declare(w, d))
		}
		m.Workloads = append(m.Workloads, listed)
	}
	return m, nil
}

// declare is the declaration of a design.
func declare(w *workload.Workload, d workload.Design) Design {
	x := declaration(d)
	x.Package = packageOf(d)
	if src, err := source.Read(w, d); err == nil {
		var parts []string
		for _, p := range src.Parts {
			parts = append(parts, p.Text)
		}
		x.Source = strings.Join(parts, "\n\n")
	}
	return x
}

// packageOf is the import path of the package of a design's constructor.
func packageOf(d workload.Design) string {
	value := reflect.ValueOf(d.Stream)
	if d.Stream == nil {
		value = reflect.ValueOf(d.Job)
	}
	f := runtime.FuncForPC(value.Pointer())
	if f == nil {
		return ""
	}
	slash := strings.LastIndexByte(f.Name(), '/')
	name, _, _ := strings.Cut(f.Name()[slash+1:], ".")
	return f.Name()[:slash+1] + name
}
