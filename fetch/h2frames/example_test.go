package h2frames_test

import (
	"fmt"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"example.org/deref/fetch/h2frames"
)

func Example() {
	r := h2frames.NewReader(false, hpack.NewDecoder(4096, nil))
	for _, piece := range []string{"\x00\x00\x01\x01\x04\x00\x00\x00\x01", "\x88\x00\x00\x02\x00", "\x01\x00\x00\x00\x01hi"} {
		r.Write([]byte(piece))
		for frame, raw, _ := r.Next(); raw != nil; frame, raw, _ = r.Next() {
			switch x := frame.(type) {
			case *http2.MetaHeadersFrame:
				fmt.Println(x.PseudoValue("status"))
			case *http2.DataFrame:
				fmt.Printf("%s, end %v\n", x.Data(), x.StreamEnded())
			}
		}
	}
	// Output:
	// 200
	// hi, end true
}
