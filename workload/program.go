package workload

// Program is a program other than the running one that runs the trials of a design: it calls trial.Main.
type Program struct {
	File    string `json:"file"`    // absolute path of the executable file
	SHA256  string `json:"sha256"`  // of the file, in hexadecimal digits
	Version string `json:"version"` // as the program states it
	Package string `json:"-"`       // import path of the design
	Source  string `json:"-"`       // Go source of the design
}

// AllDesigns returns Designs and then those of More. Without More, or if it fails, these are Designs.
func (w *Workload) AllDesigns() []Design {
	if w.More == nil {
		return w.Designs
	}
	more, _ := w.More()
	return append(w.Designs[:len(w.Designs):len(w.Designs)], more...)
}
