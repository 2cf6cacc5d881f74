package hostile

import (
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/brewput/brewput/internal/quote"
)

// Raw returns the offset of the first text that a terminal could act on or hide; -1 if there is none.
func Raw(text string) int {
	for i, r := range text {
		if r == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(text[i:]); size == 1 {
				return i
			}
		}
		if r != '\n' && r != '\t' && !quote.Printable(r) {
			return i
		}
	}
	return -1
}

// Fault describes what is wrong with a page in an output format or in svg; "" if nothing is.
func Fault(format, text string) string {
	switch format {
	case "json":
		for in := json.NewDecoder(strings.NewReader(text)); ; {
			var v any
			if err := in.Decode(&v); errors.Is(err, io.EOF) {
				return ""
			} else if err != nil {
				return "broken JSON: " + err.Error()
			}
		}
	case "csv":
		return formula(text)
	case "md":
		for _, markup := range []string{"](http", "<script", "</text", "![a]"} {
			if strings.Contains(text, markup) {
				return "Markdown with " + markup
			}
		}
	case "svg":
		if err := oneElement(text); err != nil {
			return "broken SVG: " + err.Error()
		}
	}
	return ""
}

// oneElement returns an error if a text is not XML with exactly one root element. A name may end that element early.
func oneElement(text string) error {
	in, depth, elements := xml.NewDecoder(strings.NewReader(text)), 0, 0
	for {
		token, err := in.Token()
		if errors.Is(err, io.EOF) && elements == 1 {
			return nil
		}
		if err != nil {
			return err
		}
		switch token := token.(type) {
		case xml.StartElement:
			if depth++; depth == 1 {
				elements++
			}
		case xml.EndElement:
			depth--
		case xml.CharData:
			if depth == 0 && strings.TrimSpace(string(token)) != "" {
				return errors.New("text outside the element")
			}
		}
	}
}

// formula describes what is wrong with CSV: a cell that a spreadsheet would evaluate, or invalid rows.
func formula(text string) string {
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		return "broken CSV: " + err.Error()
	}
	for _, row := range rows {
		for _, cell := range row {
			_, err := strconv.ParseFloat(cell, 64)
			if err != nil && cell != "" && strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
				return fmt.Sprintf("the CSV cell %.40q is a formula", cell)
			}
		}
	}
	return ""
}
