package ftp_test

import (
	"fmt"
	"io"
	"sync/atomic"
	"testing"

	"example.org/deref/fetch"
	"example.org/deref/fetch/fetchtest/lab"
	"example.org/deref/schemes/ftp"
	"example.org/deref/uri"
)

// BenchmarkKept fetches small files of one directory over one kept connection.
func BenchmarkKept(b *testing.B) {
	addr := lab.Server(b, "vsftpd")
	c := fetch.New(ftp.Schemes(nil)...)
	defer c.Close()
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		u := uri.MustParse(fmt.Sprintf("ftp://%s/pub/many/f%03d.txt", addr, i%600+1))
		d, err := c.Get(b.Context(), u, nil)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, d.Body); err != nil {
			b.Fatal(err)
		}
		d.Body.Close()
	}
}

func BenchmarkPlan(b *testing.B) {
	c := fetch.New(ftp.Schemes(nil)...)
	u := uri.MustParse("ftp://ftp.example/pub/a/b/c/d.txt")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.Plan(u, nil); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkParallel does the same with eight at a time.
func BenchmarkParallel(b *testing.B) {
	addr := lab.Server(b, "vsftpd")
	c := fetch.New(ftp.Schemes(nil)...)
	defer c.Close()
	b.ReportAllocs()
	b.SetParallelism(4) // of two cores
	var next atomic.Int64
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			u := uri.MustParse(fmt.Sprintf("ftp://%s/pub/many/f%03d.txt", addr, next.Add(1)%600+1))
			d, err := c.Get(b.Context(), u, nil)
			if err != nil {
				b.Error(err)
				return
			}
			if _, err := io.Copy(io.Discard, d.Body); err != nil {
				b.Error(err)
			}
			d.Body.Close()
		}
	})
}
