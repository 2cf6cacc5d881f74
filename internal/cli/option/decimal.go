package option

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
)

// integer are the types of flags that count.
type integer interface{ int | int64 | uint64 }

// decimal is a flag that counts. Unlike the flags of package pflag it reads base 10 only: 010 is refused because it
// could mean 8 or 10, and so are 0x2, 1_000 and +5.
type decimal[T integer] struct{ value *T }

// DecimalVar adds a flag that counts.
func DecimalVar[T integer](f *pflag.FlagSet, p *T, name string, value T, about string) {
	*p = value
	f.Var(decimal[T]{p}, name, about)
}

// String returns the value in base 10.
func (d decimal[T]) String() string {
	if d.value == nil { // pflag calls it on the zero value
		return "0"
	}
	return fmt.Sprint(*d.value)
}

// Type returns the name of the type for help texts.
func (d decimal[T]) Type() string { return fmt.Sprintf("%T", T(0)) }

// Set parses text.
func (d decimal[T]) Set(text string) error {
	digits := strings.TrimPrefix(text, "-")
	if strings.Trim(digits, "0123456789") != "" || digits == "" || digits[0] == '0' && digits != "0" || text == "-0" {
		return strconv.ErrSyntax
	}
	if u, ok := any(d.value).(*uint64); ok {
		n, err := strconv.ParseUint(text, 10, 64)
		if err == nil {
			*u = n
		}
		return err
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err == nil && int64(T(n)) != n {
		err = strconv.ErrRange
	}
	if err == nil {
		*d.value = T(n)
	}
	return err
}
