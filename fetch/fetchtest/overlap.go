package fetchtest

import "flag"

// Overlap makes a test binary run eight parallel tests at once, unless -parallel is given. The default, the number of CPUs, suits tests that
// compute. Tests of protocols mostly wait for deadlines, servers and programs. Call Overlap in TestMain, before m.Run.
func Overlap() {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "test.parallel" })
	if !given {
		flag.Set("test.parallel", "8")
	}
}
