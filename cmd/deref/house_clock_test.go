package main

import (
	"go/ast"
	"go/token"
	"path"
	"regexp"
	"slices"
	"testing"
)

// mayUseClock returns the functions of tests that sleep or read the clock in real time, with the reason.
func mayUseClock() map[string]string {
	return map[string]string{
		"fetch/fetchtest/loopback/settle.go Poll":                           "the one helper for what the system reports by no event",
		"fetch/fetchtest/loopback/fortest.go Pause":                         "a random delay, on whose length no assertion depends",
		"fetch/hub/scale_linux_test.go TestScaleMemory":                     "prints a table of measurements, if that is requested",
		"fetch/fetchtest/line.go past":                                      "the deadline of a connection in memory, as that of a socket",
		"fetch/fetchtest/memory_network_test.go hello":                      "is called in bubbles only",
		"cmd/deref/meddle_test.go Read":                                     "the deadline of a connection, as that of a socket",
		"cmd/deref/deadlines_test.go TestDeadlinesAtAnyMomentOfEveryScheme": "chooses moments within the time that a request takes; no assertion depends on it",
	}
}

// testsWaitForEvents checks that no test and no test server sleeps or compares times, since such a test depends on the speed of the machine. In a
// bubble of testing/synctest both are exact, but not for sockets and processes. A benchmark measures time.
func testsWaitForEvents(t *testing.T, files []goFile) {
	exceptions := mayUseClock()
	if len(exceptions) > 10 {
		t.Errorf("got %d exceptions, want at most 10", len(exceptions))
	}
	helpers := bubbles(files)
	for _, f := range files {
		starts := helpers[path.Dir(f.path)]
		if !f.isTest() && !isOfTests(f.path) || startsBubble(f.File, starts) && !isReal(f.File) {
			continue
		}
		for _, decl := range f.Decls {
			d, ok := decl.(*ast.FuncDecl)
			if !ok || isBenchmark(d) {
				continue
			}
			name := f.path + " " + d.Name.Name
			use := clockUse(d, f.isTest(), starts)
			_, allowed := exceptions[name]
			if use != "" && !allowed {
				t.Errorf("%s: got %s, want an event, or a bubble of testing/synctest without sockets and processes", name, use)
			}
			if use != "" {
				delete(exceptions, name)
			}
		}
	}
	for name := range exceptions {
		t.Errorf("%s: got an exception for a function that does not use the clock", name)
	}
}

// isOfTests reports whether a file belongs to a package for tests, such as fetch/fetchtest/loopback or ftptest.
func isOfTests(path string) bool { return regexp.MustCompile(`[a-z0-9]test/`).MatchString(path) }

// isBenchmark reports whether a function is a benchmark, or a part of one.
func isBenchmark(d *ast.FuncDecl) bool {
	return slices.ContainsFunc(d.Type.Params.List, func(p *ast.Field) bool {
		star, ok := p.Type.(*ast.StarExpr)
		return ok && isName(star.X, "testing", "B")
	})
}

// bubbles returns the names of each package's functions that start a bubble of testing/synctest.
func bubbles(files []goFile) map[string][]string {
	helpers := map[string][]string{}
	for _, f := range files {
		for _, decl := range f.Decls {
			if d, ok := decl.(*ast.FuncDecl); ok && uses(d, func(n ast.Node) bool { return isName(n, "synctest", "Test") }) {
				dir := path.Dir(f.path)
				helpers[dir] = append(helpers[dir], d.Name.Name)
			}
		}
	}
	return helpers
}

// uses reports whether a node satisfies f, or contains one that does.
func uses(n ast.Node, f func(ast.Node) bool) (found bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		found = found || f(n)
		return !found
	})
	return found
}

// startsBubble reports whether a node contains a call of a function that starts a bubble of testing/synctest.
func startsBubble(n ast.Node, helpers []string) bool {
	return uses(n, func(n ast.Node) bool { id, ok := n.(*ast.Ident); return ok && slices.Contains(helpers, id.Name) })
}

// isReal reports whether a node starts sockets or processes.
func isReal(n ast.Node) bool {
	real := map[string]*regexp.Regexp{
		"net":      regexp.MustCompile("^(Listen($|[^e])|Dial)"), // not the interface Listener
		"tls":      regexp.MustCompile("^(Listen|Dial)"),
		"httptest": regexp.MustCompile("Server$"),
		"exec":     regexp.MustCompile("^Command"),
		"loopback": regexp.MustCompile("^(Listen.*|Serve|Start|ForTest|Reserve)$"),
	}
	return uses(n, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return false
		}
		of, ok := sel.X.(*ast.Ident)
		return ok && real[of.Name] != nil && real[of.Name].MatchString(sel.Sel.Name)
	})
}

// clockUse returns the first sleep in a function, or the first comparison with the current time, outside of bubbles of testing/synctest. It returns ""
// if there is none. Test servers may have timers, for their own timeouts.
func clockUse(d *ast.FuncDecl, isTest bool, helpers []string) (use string) {
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			for _, name := range []string{"Sleep", "Since", "After", "AfterFunc", "Tick", "NewTimer"} {
				if isName(n, "time", name) && (isTest || name == "Sleep" || name == "Since") {
					use = "time." + name
				}
			}
		case *ast.CallExpr: // a.Before(time.Now()), time.Now().Sub(a)
			if (isName(n.Fun, "synctest", "Test") || startsBubble(n.Fun, helpers)) && !isReal(n) {
				return false
			}
			sel, ok := n.Fun.(*ast.SelectorExpr)
			if ok && slices.Contains([]string{"Sub", "Before", "After", "Compare"}, sel.Sel.Name) && slices.ContainsFunc(append(n.Args, sel.X), isNow) {
				use = "a comparison with time.Now"
			}
		case *ast.BinaryExpr: // time.Until(a) < b
			if isComparison(n.Op) && (isCall(n.X, "Until") || isCall(n.Y, "Until")) {
				use = "a comparison with time.Until"
			}
		}
		return use == ""
	})
	return use
}

func isComparison(op token.Token) bool {
	return slices.Contains([]token.Token{token.LSS, token.LEQ, token.GTR, token.GEQ, token.EQL, token.NEQ}, op)
}

func isNow(e ast.Expr) bool { return isCall(e, "Now") }

// isCall reports whether e is a call of a function of package time.
func isCall(e ast.Expr, name string) bool {
	call, ok := e.(*ast.CallExpr)
	return ok && isName(call.Fun, "time", name)
}

// isName reports whether n is a name of a package.
func isName(n ast.Node, pkg, name string) bool {
	sel, ok := n.(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != name {
		return false
	}
	of, ok := sel.X.(*ast.Ident)
	return ok && of.Name == pkg
}
