package workload

import "slices"

// Program is a program other than the running one that runs the trials of a design: it calls trial.Main.
type Program struct {
	File    string `json:"file"`    // absolute path of the executable file
	SHA256  string `json:"sha256"`  // of the file, in hexadecimal digits; "": only the name of the file is known
	Version string `json:"version"` // as the program states it
	Package string `json:"-"`       // import path of the design
	Source  string `json:"-"`       // Go source of the design
}

// Absent reports whether another program runs the design, and that program was not found yet. If it is found, More has
// the design.
func (d Design) Absent() bool { return d.Program != nil && d.Program.SHA256 == "" }

// AllDesigns returns Designs and then those of More. A design of More takes the place of one with its name that is
// absent. Without More, or if it fails, these are Designs.
func (w *Workload) AllDesigns() []Design {
	if w.More == nil {
		return w.Designs
	}
	all := slices.Clone(w.Designs)
	more, _ := w.More()
	for _, d := range more {
		i := slices.IndexFunc(all, func(x Design) bool { return x.Absent() && x.Name == d.Name })
		if i >= 0 {
			all[i] = d
		} else {
			all = append(all, d)
		}
	}
	return all
}
