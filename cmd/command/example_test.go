package command_test

import (
	"context"
	"fmt"
	"io"
	"os"

	"example.org/deref/cmd/command"
)

// A program that embeds deref runs a command line. Main closes the standard output.
func ExampleMain() {
	devNull, err := os.Open(os.DevNull)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer devNull.Close()
	out, w, err := os.Pipe()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer out.Close()
	e := command.Environment{Stdin: devNull, Stdout: w, Stderr: os.Stderr, Getenv: func(string) string { return "" }}
	code := command.Main(context.Background(), []string{"data:,hello"}, e)
	b, _ := io.ReadAll(out)
	fmt.Printf("%s, exit code %d\n", b, code)
	// Output: hello, exit code 0
}
