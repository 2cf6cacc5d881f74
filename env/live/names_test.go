package live

import (
	"fmt"
	"strings"
	"testing"
)

// TestListed: the list of who is left is short, whatever names there are, and counts all.
func TestListed(t *testing.T) {
	var all []left
	sum := int64(5)
	for i := range int64(4000) {
		all = append(all, left{strings.Repeat("n", 100) + fmt.Sprint(i), i})
		if i < 4000-8 {
			sum += i
		}
	}
	list := summary(all, 5)
	text := strings.Join(list, ", ")
	if len(list) != 9 || len(text) > 500 || !strings.HasSuffix(text, fmt.Sprintf("other names (%d)", sum)) {
		t.Errorf("%d: %s", len(text), text)
	}
	if got := summary([]left{{"b", 1}, {"a", 1}}, 0); fmt.Sprint(got) != "[a (1) b (1)]" {
		t.Error(got)
	}
}
