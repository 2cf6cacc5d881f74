// Command futuredate prints the date that a phrase describes.
//
//	go run ./examples/futuredate six weeks from today
//	go run ./examples/futuredate 90 days before 2026-03-01
package main

import (
	"fmt"
	"os"
	"strings"
	"time"
)

func main() {
	day, err := future(strings.Join(os.Args[1:], " "), time.Now())
	if err != nil {
		fmt.Fprintf(os.Stderr, "futuredate: %v\n", err)
		os.Exit(2)
	}
	fmt.Println(day.Format("Monday, 2 January 2006"))
}
