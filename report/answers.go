package report

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// answerTexts returns what the jobs computed: each distinct answer once, with the designs that gave it.
func (f *frame) answerTexts() []string {
	var texts []string
	designs := map[string][]string{}
	for _, r := range f.rows {
		if len(r.Answer) == 0 {
			continue
		}
		text := answerText(r.Answer)
		if _, ok := designs[text]; !ok {
			texts = append(texts, text)
		}
		if !slices.Contains(designs[text], r.Design) {
			designs[text] = append(designs[text], r.Design)
		}
	}
	for i, text := range texts {
		texts[i] = "answer: " + text + " (" + strings.Join(designs[text], ", ") + ")"
	}
	return texts
}

// answerText prints an answer in the order of its names.
func answerText(answer map[string]any) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(answer)) {
		text := fmt.Sprint(answer[name])
		if x, ok := answer[name].(float64); ok {
			text = strconv.FormatFloat(x, 'f', -1, 64)
		}
		parts = append(parts, name+" "+text)
	}
	return strings.Join(parts, ", ")
}

// writeAnswers writes what the jobs computed.
func writeAnswers(b *strings.Builder, f *frame, st Style) {
	writeParagraphs(b, f.answerTexts(), st)
}
