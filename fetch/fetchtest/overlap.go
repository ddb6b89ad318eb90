package fetchtest

import (
	"flag"
	"runtime/debug"
)

// Overlap makes a test binary run eight parallel tests at once, unless -parallel is given, and collect garbage less often. The default, the number of
// CPUs, suits tests that compute. Tests of protocols mostly wait for deadlines, servers and programs. Call Overlap in TestMain, before m.Run and
// flag.Parse.
func Overlap() {
	debug.SetGCPercent(400) // most of what tests allocate are documents that nobody holds
	flag.Set("test.parallel", "8")
}
