package batch_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"example.org/deref/fetch/batch"
	"example.org/deref/uri"
)

// BenchmarkFrontier adds URIs, half of them twice, and runs them with an empty Task.
func BenchmarkFrontier(b *testing.B) {
	const n = 10_000
	us := make([]uri.URI, n)
	for i := range us {
		us[i] = uri.MustParse(fmt.Sprintf("http://h%d/a/page%d.html", i%10, i*2/3))
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		f, err := batch.OpenFrontier(filepath.Join(b.TempDir(), "f"))
		if err != nil {
			b.Fatal(err)
		}
		for _, u := range us {
			if _, err := f.Add(u, nil); err != nil {
				b.Fatal(err)
			}
		}
		if _, err := f.Run(b.Context(), func(context.Context, *batch.Item) (int64, error) { return 1, nil }, nil); err != nil {
			b.Fatal(err)
		}
		f.Close()
	}
}
