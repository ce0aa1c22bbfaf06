// Package breaking says whether a machine may replace another one of its name: what
// senders, activities and consumers, unfinished runs, and whoever relies on its promises
// would notice. It is pure: it takes two resolved programs and gives points.
//
//   - rule.go is what a rule is, rules.go the list of them. Each rule has a file that
//     opens with its record, and a page in pages.
//   - compare.go pairs the machines and applies the rules; allow.go takes out what
//     comments in the new machine allow.
//   - place.go, slots.go and types.go compare what both machines declare: where a point
//     is, and how fields and types differ.
package breaking
