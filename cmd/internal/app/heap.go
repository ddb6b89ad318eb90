package app

import "runtime"

// HeapFloor lets the heap grow by n bytes before it is collected, until release is called. It is an object that is never written, for which the system
// therefore provides no memory, but which counts when the runtime decides how far the heap may grow.
func HeapFloor(n int) (release func()) {
	floor := make([]byte, n)
	return func() { runtime.KeepAlive(floor) }
}
