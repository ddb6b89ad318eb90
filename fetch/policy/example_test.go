package policy_test

import (
	"fmt"

	"example.org/deref/fetch/policy"
)

func ExampleParseRule() {
	r, _ := policy.ParseRule("deny host=*.internal port=8000-8100")
	fmt.Println(r.Match(policy.Target{Host: "db.internal", Port: 8080}) == policy.Yes, r)
	// Output: true deny host=*.internal port=8000-8100
}
