package httpapi

import (
	"cmp"
	"net/http"
)

// route is one line of the table.
type route struct {
	method, path string
	does         string
	answer       answer

	effect bool     // it changes something
	stream bool     // it goes on until its reader leaves
	query  []string // the parameters that there are
	body   any      // of the type of what it takes; nil for nothing
	reply  any      // of the type of what it answers; nil for a text
	gives  string   // its media type; JSON unless said
	status string   // of a good answer; 200 unless said
}

// answer answers a request, or says what is wrong.
type answer func(w http.ResponseWriter, r *http.Request) error

// statuses are those of answers that are no problems.
func (r *route) statuses() []string {
	if r.path == "/health/workflows" {
		return []string{"200", "503"}
	}
	if r.method == "POST" && r.effect && r.status == "" {
		return []string{"200", "202"}
	}
	return []string{cmp.Or(r.status, "200")}
}

// base is before all paths of the JSON API.
const base = "/api/v1"

// table lists the routes. What the tests of the guard ask of each is made of it, and so is
// openapi.json.
func (a *API) table() []route {
	const svg = "image/svg+xml"
	return []route{
		{method: "GET", path: base + "/machines", does: "the machines that there are", answer: a.getMachines, reply: machinesAnswer{}},
		{method: "GET", path: base + "/machines/{machine}", does: "a machine: its states, events and parameters",
			query: []string{"version"}, answer: a.getMachine, reply: machineAnswer{}},
		{method: "GET", path: base + "/machines/{machine}/stats", does: "figures over all runs of a machine",
			query: []string{"since"}, answer: a.getStats, reply: statsAnswer{}},
		{method: "GET", path: base + "/machines/{machine}/diagram.svg", does: "a drawing of a machine",
			query: []string{"version", "counts", "compact", "theme"}, answer: a.getMachineDiagram, gives: svg},
		{method: "GET", path: base + "/runs", does: "runs, newest first", query: []string{"where", "limit", "after"}, answer: a.getRuns, reply: runsAnswer{}},
		{method: "POST", path: base + "/runs", does: "start a run", effect: true, answer: taking(a.postRuns), body: startBody{}, reply: runAnswer{}, status: "201"},
		{method: "GET", path: base + "/runs/{run}", does: "a run as it is", answer: a.getRun, reply: runAnswer{}},
		{method: "GET", path: base + "/runs/{run}/at/{seq}", does: "a run as it was after a step", answer: a.getRunAt, reply: runAnswer{}},
		{method: "GET", path: base + "/runs/{run}/diagram.svg", does: "a drawing of a run", query: []string{"compact", "theme"}, answer: a.getRunDiagram, gives: svg},
		{method: "GET", path: base + "/runs/{run}/history", does: "what happened to a run: its last steps, or those behind or before one",
			query: []string{"after", "before", "limit"}, answer: a.getHistory, reply: historyAnswer{}},
		{method: "POST", path: base + "/runs/{run}/events", does: "send an event to a run", effect: true, answer: command(a, a.send), body: eventBody{}, reply: runAnswer{}},
		{method: "POST", path: base + "/runs/{run}/cancel", does: "cancel a run; 202 where its activities have yet to stop",
			effect: true, answer: command(a, a.cancel), body: cancelBody{}, reply: runAnswer{}},
		{method: "POST", path: base + "/runs/{run}/pause", does: "pause a run", effect: true, answer: command(a, a.pause), body: operatorBody{}, reply: runAnswer{}},
		{method: "POST", path: base + "/runs/{run}/resume", does: "let a paused run continue", effect: true, answer: command(a, a.resume), body: operatorBody{}, reply: runAnswer{}},
		{method: "POST", path: base + "/runs/{run}/retry", does: "retry a halted or failed run, or an activity that waits",
			effect: true, answer: command(a, a.retry), body: retryBody{}, reply: runAnswer{}},
		{method: "POST", path: base + "/runs/{run}/complete", does: "end an activity by hand", effect: true, answer: command(a, a.complete), body: completeBody{}, reply: runAnswer{}},
		{method: "POST", path: base + "/bulk", does: "what a command for many runs would mean; with apply and the token of that answer, do it",
			answer: taking(a.postBulk), body: bulkBody{}, reply: bulkAnswer{}},
		{method: "POST", path: base + "/simulate", does: "what would happen; nothing is stored", answer: taking(a.postSimulate), body: simulateBody{}, reply: simulateAnswer{}},
		{method: "GET", path: base + "/feed", does: "steps as they happen, as Server-Sent Events: step, reset where some were missed, bye",
			query: []string{"run", "machine", "pace", "after"}, answer: a.getFeed, stream: true, gives: "text/event-stream"},
		{method: "GET", path: base + "/openapi.json", does: "this description", answer: a.getOpenAPI, reply: object{}},
		{method: "GET", path: "/metrics", does: "figures in the text format of Prometheus", answer: a.getMetrics, gives: "text/plain"},
		{method: "GET", path: "/health", does: "whether the database answers", answer: a.getHealth, reply: healthAnswer{}},
		{method: "GET", path: "/health/workflows", does: "whether all runs go on: 503 where something should be looked at",
			query: []string{"stuck", "late", "share", "limit"}, answer: a.getWorkflows, reply: workflowsAnswer{}},
	}
}

// Route is what others may know of a route.
type Route struct {
	Method, Path string // as http.ServeMux has them
	Effect       bool   // it changes something
	Stream       bool   // it goes on until its reader leaves
}

// Routes lists what the API answers.
func (a *API) Routes() []Route {
	var all []Route
	for _, r := range a.routes {
		all = append(all, Route{r.method, r.path, r.effect, r.stream})
	}
	return all
}
