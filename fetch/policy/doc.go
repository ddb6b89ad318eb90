// Package policy contains the values of which a fetch.Policy consists: rules about targets, and how servers are reached. It only compares; a
// fetch.Client enforces the policy.
package policy
