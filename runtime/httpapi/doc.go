// Package httpapi is what programs, monitors and pages ask a store with runs over HTTP: a JSON
// API, a feed of steps, health and metrics, as an http.Handler over a runtime.Engine. It needs
// the standard library alone, and can stand under any prefix:
//
//	api := httpapi.New(engine)
//	defer api.Close()
//	mux.Handle("/fsmc/", http.StripPrefix("/fsmc", api))
//
// What it says of a run is what the command line says: the same runtime.View, sentence and refusal. It
// is open to whoever reaches it. A Guard stands before it, or the program's own.
//
// Api.go has the table of routes, problem.go what is answered instead, body.go and query.go
// how requests are read. Each family of routes has a file. Guard.go and tokens.go
// are the guard. Hub.go follows the steps of all runs for feed.go; metrics*.go is
// what Prometheus reads. Openapi.json describes it all, and tests hold each answer against it.
package httpapi
