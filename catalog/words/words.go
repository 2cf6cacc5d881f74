// Package words counts the words of a file. Its designs range from a system call for each byte to vector instructions
// on all CPUs. They are compared with wc.
//
// The first designs are a Go program that was profiled and optimized in two steps (D. Cheney, "Two Go Programs, Three
// Different Profiling Techniques"). It ended at a hundredth of its first time, which was twice the time of wc. Its
// answer is wrong: it loses each word that ends in punctuation.
//
// The comment of each constructor says what limits the design. Formulas predict the time from the bounds in the same
// sweep: read (reads the file and counts nothing), calls and allocs (the time of one of each), and scans of as many
// bytes in the cache. A design with one goroutine copies and then scans, so its time is the sum (Amdahl's law for two
// parts). On m CPUs it is the m-th part. The same holds for wc and the kernel, which copies for it.
//
// There are two definitions of a word: see [rule]. In the C locale, wc required a printable byte until coreutils 9.4.
// Since 9.5 it counts any run of bytes that are no separators.
package words

import (
	"fmt"
	"math"

	"github.com/brewput/brewput/plan"
	"github.com/brewput/brewput/workload"
)

// defaultSize is the size of the generated file in bytes: about that of Moby-Dick.
const defaultSize = 1_200_000

// designs returns the designs: those of the original, improved ones, references and bounds.
func designs() []workload.Design {
	live := workload.LiveOnly
	list := []workload.Design{
		{Name: "original", Doc: "the original: reads one byte at a time; loses words before punctuation",
			Uses: uses(), Worlds: live, Job: newOriginal, Expect: workload.WrongAnswer},
		{Name: "original-buffered", Doc: "the original's second step: reads through a " +
			"buffer", Uses: uses(), Worlds: live,
			Job: newOriginalBuffered, Expect: workload.WrongAnswer},
		{Name: "original-reused", Doc: "the original's third step: reads into the same byte each time", Uses: uses(),
			Worlds: live, Job: newOriginalReused, Expect: workload.WrongAnswer},
		{Name: "one-byte", Doc: "the original's first step, counting correctly", Uses: uses(), Job: newOneByte,
			Formula: oneByte()},
		{Name: "buffered", Doc: "the second step, counting correctly",
			Uses: uses(), Job: newBuffered, Formula: buffered()},
		{Name: "reused", Doc: "the third step, counting correctly", Uses: uses(), Job: newReused,
			Formula: copyAndScan("scan-bytes")},
		{Name: "table", Doc: "reads a buffer at a time and looks up each byte in a " +
			"table", Uses: uses("chunk"), Job: newTable,
			Formula: copyAndScan("scan-table")},
		{Name: "swar", Doc: "reads a buffer at a time, and processes 64 bytes at once in ordinary " +
			"registers", Uses: uses("chunk"),
			Job: newSWAR, Formula: copyAndScan("scan-swar")},
		{Name: "chunks", Doc: "swar, in chunks on all CPUs", Uses: uses("chunk"), Job: newChunks,
			Formula: shared("swar")},
		{Name: "mmap", Doc: "swar, in chunks of the memory-mapped file", Uses: uses("chunk"), Job: newMmap,
			Formula: shared("scan-swar")},
	}
	list = append(list, simdDesigns()...)
	return append(list,
		workload.Design{Name: "wc", Doc: "wc -w in the locale C, including its process", Uses: uses(), Worlds: live,
			Job: newWC, Reference: true},
		workload.Design{Name: "wc-utf8", Doc: "wc -w in the locale C.UTF-8", Uses: uses(), Worlds: live, Job: newWCUTF8,
			Reference: true},
		workload.Design{Name: "cat", Doc: "cat to /dev/null, which counts nothing", Uses: uses(), Worlds: live,
			Job: newCat, Reference: true},
		workload.Design{Name: "read", Doc: "reads the file in chunks and counts nothing", Uses: uses("chunk"),
			Job: newRead, Expect: workload.Bound},
		workload.Design{Name: "calls", Doc: "reads one byte, up to a million times", Uses: uses(), Job: newCalls,
			Expect: workload.Bound},
		workload.Design{Name: "allocs", Doc: "allocates a million bytes one by one", Job: newAllocs,
			Expect: workload.Bound},
		workload.Design{Name: "scan-bytes", Doc: "reused on as many bytes, in memory", Uses: uses("chunk"),
			Job: newScanBytes, Expect: workload.Bound},
		workload.Design{Name: "scan-table", Doc: "table on as many bytes, all in the CPU cache", Uses: uses("chunk"),
			Job: newScanTable, Expect: workload.Bound},
		workload.Design{Name: "scan-swar", Doc: "swar on as many bytes, all in the CPU cache", Uses: uses("chunk"),
			Job: newScanSWAR, Expect: workload.Bound},
	)
}

// Workload returns the workload words.
func Workload() *workload.Workload {
	return &workload.Workload{
		Name: "words",
		Doc: `Count the words of a file: from one system call per byte to vector code on all CPUs, compared with wc.
The answer is that of wc -w, exactly; see the rules.`,
		Factors: []plan.Factor{
			{Name: "file", Doc: "the file whose words are counted (default: a generated one)", Kind: plan.Text,
				Path: true, Input: true},
			{Name: "size", Doc: fmt.Sprintf("size of the generated file in bytes, kept in the cache directory "+
				"(default %d)",
				defaultSize), Kind: plan.Int, Input: true},
			{Name: "rule", Doc: "definition of a word: a run without spaces with a printable byte (printable) or " +
				"any (space); default: as wc here", Kind: plan.Text, Default: asWC,
				Words: []string{asWC, printableName, spaceName}, Input: true},
			{Name: "chunk", Doc: "bytes per read, or per chunk of a CPU", Kind: plan.Int, Default: "262144", Min: 64},
		},
		Check:   check,
		Designs: designs(),
	}
}

// uses returns the factors of all designs, and the given ones.
func uses(more ...string) []string { return append([]string{"file", "size", "rule"}, more...) }

// copyAndScan predicts one goroutine that reads and scans alternately.
func copyAndScan(scan string) *workload.Formula {
	return &workload.Formula{
		Text: "read + " + scan, Source: "the time to copy plus the time to scan (Amdahl 1967)",
		Seconds: func(p plan.Point, m workload.Measured) float64 {
			return m.Wall("read", p) + m.Wall(scan, p)
		},
	}
}

// shared predicts a design whose work all CPUs share equally.
func shared(of string) *workload.Formula {
	return &workload.Formula{
		Text: of + " / cpus", Source: "Amdahl's law (1967) without a serial part",
		Seconds: func(p plan.Point, m workload.Measured) float64 { return m.Wall(of, p) / float64(p.Int("cpus")) },
	}
}

// buffered predicts buffered, which is reused with an allocation for each byte.
func buffered() *workload.Formula {
	return &workload.Formula{
		Text: "reused + bytes x the time of an allocation", Source: "one heap allocation per byte of the file",
		Seconds: func(p plan.Point, m workload.Measured) float64 {
			return m.Wall("reused", p) + bytesOf(p, m)*each("allocs", p, m)
		},
	}
}

// oneByte predicts one-byte, which is buffered with a system call for each byte.
func oneByte() *workload.Formula {
	return &workload.Formula{
		Text: "buffered + bytes x the time of a read of one byte", Source: "one system call per byte of the file",
		Seconds: func(p plan.Point, m workload.Measured) float64 {
			return m.Wall("buffered", p) + bytesOf(p, m)*each("calls", p, m)
		},
	}
}

// bytesOf returns the size of the file, which the bound calls reports.
func bytesOf(p plan.Point, m workload.Measured) float64 {
	x, _ := m.Metric("calls", fileBytes, p)
	return x
}

// each returns the time of one call or one allocation in seconds, or NaN if it was not measured.
func each(probe string, p plan.Point, m workload.Measured) float64 {
	x, ok := m.Metric(probe, eachSeconds, p)
	if !ok {
		return math.NaN()
	}
	return x
}
