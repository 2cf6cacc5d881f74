package workload_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// server returns a workload with options, whose designs are those of the option "build".
func server() *workload.Workload {
	return &workload.Workload{
		Name:    "server",
		Designs: []workload.Design{{Name: "build", Stream: stream}},
		More:    func() ([]workload.Design, error) { return []workload.Design{{Name: "other", Stream: stream}}, nil },
		Options: []workload.Option{{Name: "url", Value: "URL"}, {Name: "build", Value: "NAME", Many: true},
			{Name: "tls"}},
		Make: func(g workload.Given) (*workload.Workload, error) {
			w := &workload.Workload{}
			for _, name := range g["build"] {
				w.Designs = append(w.Designs, workload.Design{Name: name, Stream: stream})
			}
			if len(w.Designs) == 0 {
				return nil, errors.New("no build")
			}
			return w, nil
		},
	}
}

// TestWith checks that a workload is made of the values of its options, and keeps what it had besides its designs.
func TestWith(t *testing.T) {
	w := server()
	if err := w.Validate(); err != nil {
		t.Fatal(err)
	}
	if err := w.CheckGiven(); err == nil {
		t.Error("a workload without its options passes for one that can be measured")
	}
	given := workload.Given{"url": {"http://localhost"}, "build": {"a", "b"}}
	made, err := w.With(given)
	if err != nil || made.CheckGiven() != nil {
		t.Fatal(err, made.CheckGiven())
	}
	given["build"][1], given["url"] = "x", nil
	names, err := made.Select(nil)
	if err != nil || !slices.Equal(names, []string{"a", "b"}) || made.Name != "server" || len(made.Options) != 3 {
		t.Errorf("%q, %v, %+v", names, err, made)
	}
	if _, ok := made.Find("other"); !ok {
		t.Error("the designs of another program are lost")
	}
	if made.Given.Get("url") != "http://localhost" || made.Given.Get("build") != "b" || made.Given.Has("tls") {
		t.Errorf("given: %v", made.Given)
	}
	again, err := made.With(made.Given) // as the child of a trial does
	if err != nil || len(again.Designs) != 2 {
		t.Errorf("%+v, %v", again, err)
	}

	plain := &workload.Workload{Name: "tea", Designs: []workload.Design{{Name: "pot", Stream: stream}}}
	if same, err := plain.With(nil); err != nil || same != plain || plain.CheckGiven() != nil {
		t.Errorf("a workload without options: %v, %v", same, err)
	}
}

// TestWithRefuses checks the errors of options, which name them.
func TestWithRefuses(t *testing.T) {
	for _, x := range []struct {
		given workload.Given
		field string
		says  string
	}{
		{workload.Given{"port": {"1"}}, "port", "is no option of the workload server"},
		{workload.Given{"url": {"a", "b"}, "build": {"a"}}, "url", "was given 2 times"},
		{workload.Given{"tls": {"false"}, "build": {"a"}}, "tls", "is a switch"},
		{nil, "", "no build"},
		{workload.Given{"build": {"a", "a"}}, "", "two designs are called"},
	} {
		_, err := server().With(x.given)
		var r *plan.Refusal
		if !errors.As(err, &r) || r.Field != x.field || !strings.Contains(err.Error(), x.says) {
			t.Errorf("%v: %v", x.given, err)
		}
	}
}

// TestValidateOptions checks the declarations of options.
func TestValidateOptions(t *testing.T) {
	for says, spoil := range map[string]func(*workload.Workload){
		"must not be empty":         func(w *workload.Workload) { w.Options[0].Name = "" },
		`two options or factors`:    func(w *workload.Workload) { w.Options[0].Name = "tls" },
		`factors are called "rate"`: func(w *workload.Workload) { w.Options[0].Name = "rate" },
		`cannot be called "resume"`: func(w *workload.Workload) { w.Options[0].Name = "resume" },
		"can be given only once":    func(w *workload.Workload) { w.Options[2].Many = true },
		"options need Make":         func(w *workload.Workload) { w.Make = nil },
		"Make needs options":        func(w *workload.Workload) { w.Options = nil },
	} {
		w := server()
		spoil(w)
		if err := w.Validate(); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", says, err)
		}
	}
}
