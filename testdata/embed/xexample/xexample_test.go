package xexample_test

import (
	"testing"

	"example.com/embed/xexample"
	"example.org/deref/fetch/fetchtest"
)

func TestConformance(t *testing.T) {
	fetchtest.Test(t, xexample.Scheme(), fetchtest.Case{URI: "x-example://host.example/hello", Body: "hello yourself\r\n", Script: `
C: SAY /hello
S: hello yourself
*: [end]
`})
}
