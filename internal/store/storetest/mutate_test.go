package storetest

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// TestMutate checks that every kind of damage occurs, that each changes the file, and that the seed alone decides.
func TestMutate(t *testing.T) {
	file := []byte(`{"kind":"run","schema_version":1,"header":{}}` + "\n" +
		`{"kind":"trial","block":0,"order":12}` + "\n")
	whole := bytes.Clone(file)
	seen := map[string]int{}
	for seed := range uint64(2000) {
		kind, mutated := Mutate(rand.New(rand.NewPCG(seed, 0)), file)
		_, again := Mutate(rand.New(rand.NewPCG(seed, 0)), file)
		if bytes.Equal(mutated, file) || !bytes.Equal(mutated, again) || !bytes.Equal(file, whole) {
			t.Fatalf("seed %d, %s: %q, then %q", seed, kind, mutated, again)
		}
		seen[kind]++
	}
	for _, m := range mutations {
		if seen[m.kind] < 20 {
			t.Errorf("%s: only %d of 2000", m.kind, seen[m.kind])
		}
	}
	for _, file := range [][]byte{nil, []byte("\n"), []byte("x")} {
		for seed := range uint64(100) {
			if kind, mutated := Mutate(rand.New(rand.NewPCG(seed, 1)), file); bytes.Equal(mutated, file) {
				t.Fatalf("seed %d, %s: %q stayed the same", seed, kind, file)
			}
		}
	}
}
