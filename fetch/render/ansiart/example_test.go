package ansiart_test

import (
	"fmt"
	"strings"

	"example.org/deref/fetch/render/ansiart"
)

func Example() {
	const text = "\x1b[3CB\x1b[4D\x1b[1;33mA\x1b[0m\r\n" // B at column 4, then a bright yellow A at column 1
	for row, err := range ansiart.Rows(strings.NewReader(text), nil) {
		if err != nil {
			fmt.Println(err)
			return
		}
		for _, c := range row {
			fmt.Printf("%c%d ", c.Rune, c.Foreground)
		}
		fmt.Println()
	}
	// Output:
	// A11  7  7 B7
}

func ExampleCut() {
	record := make([]byte, 128)
	copy(record, "SAUCE00")
	copy(record[7:], "The lake")
	copy(record[42:], "somebody")
	text, sauce := ansiart.Cut(append([]byte("art\x1a"), record...))
	fmt.Printf("%s: %s by %s\n", text, sauce.Title, sauce.Author)
	// Output:
	// art: The lake by somebody
}
