package wacz_test

import (
	"bytes"
	"fmt"
	"log"
	"strings"
	"time"

	"example.org/deref/fetch/wacz"
)

func Example() {
	var b bytes.Buffer
	w := wacz.NewWriter(&b, time.Date(2026, 11, 23, 6, 44, 52, 0, time.UTC))
	if _, err := w.AddArchive("menus.warc", strings.NewReader("WARC/1.1 ...")); err != nil {
		log.Fatal(err)
	}
	if err := w.Close(wacz.Info{Title: "Menus"}); err != nil {
		log.Fatal(err)
	}
	p, err := wacz.Read(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		log.Fatal(err)
	}
	for _, e := range p.Archives {
		fmt.Println(e.Name, e.Size, "bytes")
	}
	p.Verify(func(fault string) { fmt.Println(fault) })
	// Output:
	// archive/menus.warc 12 bytes
}
