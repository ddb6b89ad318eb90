//go:build !race

package command

import (
	"runtime"
	"runtime/debug"
	"testing"
)

// TestMemoryOfADocument holds what a small document of a list allocates, from its line to its file: the difference between a long list and a short
// one, fetched one by one: how many buffers are in use at a time would depend on the scheduler. One allocation more for each document fails it.
func TestMemoryOfADocument(t *testing.T) {
	const short, long = 20, 120
	const mostAllocs, mostBytes = 18.5, 5350
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // a collection would empty the pools
	least := func(docs int) (allocs, bytes float64) {
		fetch := listOf(t, docs)
		for try := range 2 {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			fetch()
			runtime.ReadMemStats(&after)
			a, b := float64(after.Mallocs-before.Mallocs), float64(after.TotalAlloc-before.TotalAlloc)
			if try == 0 {
				allocs, bytes = a, b
			}
			allocs, bytes = min(a, allocs), min(b, bytes)
		}
		return allocs, bytes
	}
	allocs, bytes := least(long)
	allocsOfShort, bytesOfShort := least(short)
	allocs, bytes = (allocs-allocsOfShort)/(long-short), (bytes-bytesOfShort)/(long-short)
	if allocs > mostAllocs || bytes > mostBytes {
		t.Errorf("got %.2f allocations of %.0f bytes for a document, want at most %v of %v", allocs, bytes, mostAllocs, mostBytes)
	}
}
