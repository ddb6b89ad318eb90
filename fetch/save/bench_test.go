package save_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"example.org/deref/fetch"
	"example.org/deref/fetch/save"
	"example.org/deref/uri"
)

// BenchmarkSmallDocument writes new files: replacing one costs a flush where the file system is ext4 (auto_da_alloc).
func BenchmarkSmallDocument(b *testing.B) {
	f, dir := tempDir(b)
	s := newSite(map[string]*object{"/x": {data: octets(2<<10, 'a')}})
	c := s.client(b)
	u := uri.MustParse("test://h/x")
	b.ReportAllocs()
	for b.Loop() {
		s.asked = s.asked[:0]
		if _, err := save.File(context.Background(), c, u, nil, &save.Options{Dir: f}); err != nil {
			b.Fatal(err)
		}
		os.Remove(filepath.Join(dir, "x"))
	}
}

// BenchmarkPlainFile measures what the system itself needs for the same file.
func BenchmarkPlainFile(b *testing.B) {
	_, dir := tempDir(b)
	data, temp, final := octets(2<<10, 'a'), filepath.Join(dir, "t"), filepath.Join(dir, "x")
	b.ReportAllocs()
	for b.Loop() {
		os.WriteFile(temp, data, 0o666)
		os.Rename(temp, final)
		os.Remove(final)
	}
}

// BenchmarkDocumentOfMirror writes a new file with the document's time, as a mirror does.
func BenchmarkDocumentOfMirror(b *testing.B) {
	f, dir := tempDir(b)
	data, modified := octets(2<<10, 'a'), time.Date(1995, 1, 2, 3, 4, 5, 0, time.UTC)
	b.ReportAllocs()
	for b.Loop() {
		d := fetch.NewDocument(io.NopCloser(bytes.NewReader(data)))
		d.SetModified(modified, time.Second)
		if _, err := save.Document(b.Context(), d, &save.Options{Dir: f, Name: "x", Force: true, Times: true, Sum: true}); err != nil {
			b.Fatal(err)
		}
		os.Remove(filepath.Join(dir, "x"))
	}
}

// BenchmarkSmallDocuments writes new files into one directory from eight goroutines, as a batch does.
func BenchmarkSmallDocuments(b *testing.B) {
	f, _ := tempDir(b)
	data, u := octets(2<<10, 'a'), uri.MustParse("test:x")
	run := func(context.Context, *fetch.Plan, *fetch.Env) (*fetch.Document, error) {
		return fetch.NewDocument(io.NopCloser(bytes.NewReader(data))), nil
	}
	c := fetch.New(fetch.Scheme{Names: []string{"test"}, Does: fetch.Does{Retrieves: true}, Plan: func(uri.URI, *fetch.Options) (*fetch.Plan, error) {
		return &fetch.Plan{Run: run}, nil
	}})
	defer c.Close()
	var n atomic.Int64
	b.ReportAllocs()
	b.SetParallelism(8)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := save.File(context.Background(), c, u, nil, &save.Options{Dir: f, Name: strconv.FormatInt(n.Add(1), 10)}); err != nil {
				b.Error(err)
				return
			}
		}
	})
}
