package temporal

import (
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"github.com/fsmc-dev/fsmc/runtime/machine"
)

// WorkflowType is the name of the one workflow type. The id of a workflow is that of its run.
const WorkflowType = "fsmc.Run"

// Input is what a run starts with.
type Input struct {
	Definition json.RawMessage `json:"definition,omitempty"` // of the machine, as Definition.Encode writes it
	Named      *Named          `json:"named,omitempty"`      // of which workers have the definition, and those of its callees, in place of Definition and Callees
	Params     json.RawMessage `json:"params,omitempty"`
	Semantics  int             `json:"semantics,omitempty"`  // machine.Semantics of who starts it; 0 for the first
	Continued  *Continued      `json:"continued,omitempty"`  // nil for a run that begins
	Searchable bool            `json:"searchable,omitempty"` // the namespace has the search attributes of Attributes
	MaxData    int             `json:"max_data,omitempty"`   // as machine.WithMaxData; 0 of a run that an older client has started

	Archive bool              `json:"archive,omitempty"` // a worker has an ArchiveFunc, which is given the history
	Callees []json.RawMessage `json:"callees,omitempty"` // the definitions of the machines that it calls, and of those that they call
	Parent  *Parent           `json:"parent,omitempty"`  // of a child
}

// Output is what a run ends with.
type Output struct {
	Snapshot json.RawMessage `json:"snapshot"` // as Machine.EncodeSnapshot writes it
}

// run is the run of one workflow. Its steps take turns, since a host guard is asked in the
// middle of one.
type run struct {
	in       Input
	has      library
	machine  *machine.Machine
	snapshot *machine.Snapshot
	turn     workflow.Mutex
	changed  bool // since the loop last looked

	attempts    map[string]*attempt        // by key: those that are current
	stopping    int                        // attempts that were cancelled and have not returned
	open        int                        // goroutines of attempts
	checkpoints map[string]json.RawMessage // the last ones, by the keys of attempts
	heard       map[string]heard           // when they were made, by the same keys, as far as the run has asked
	busy        int                        // of those: attempts that have begun and are not over
	updates     int                        // taken by this execution

	callees   map[string]*machine.Machine // by their hashes
	children  []*child                    // those that have started, and of which not all is known
	toldSpent []machine.Cost              // of a child: what its parent was told that it has used
	hearing   bool                        // it is dealing with a signal
	unread    func() bool                 // there is one to deal with

	records  []json.RawMessage          // of this execution
	versions []version                  // of the machine, by which they were made, oldest first
	base     int64                      // the Seq of the last record before them
	left     string                     // the state that the run has left last
	previous string                     // the execution that has it
	accepted map[string]json.RawMessage // answers by the ids of events
	ids      []string                   // of those events, oldest first

	places map[string]*attempt // of limited activities, by their ids, which it has or waits for
	asked  int64               // how many it has asked for
	asking int                 // limiters that it is about to tell something
	given  func() bool         // it has something to do with one

	version workflow.Version // of the interpreter, with which the execution has begun
	timer   pendingTimer     // for what is due next

	archive    archive
	outbox     []Message
	deliverAt  time.Time // the first of it, not before
	delivering bool
	searchable bool        // the namespace has the search attributes
	shown      attributes  // what they say
	unheard    func() bool // Temporal has cancelled the workflow, and the run has not taken it yet
}

// RunWorkflow is the workflow: it takes steps until the run is over, nothing of it is under way, and
// all its messages are delivered. How the run has ended is the status of the workflow.
func RunWorkflow(root workflow.Context, in Input) (Output, error) {
	return runWorkflow(root, in, nil, func(*run) {})
}

// runWorkflow is RunWorkflow, which shows the run to who looks at its replay.
func runWorkflow(root workflow.Context, in Input, has library, shows func(*run)) (Output, error) {
	ctx, _ := workflow.NewDisconnectedContext(root) // Temporal's cancel is a step of the run, and ends no wait
	version := workflow.GetVersion(ctx, "interpreter", 1, interpreter)
	r, err := newRun(ctx, in, has)
	if err != nil {
		failTask(err)
		return Output{}, unstarted(err)
	}
	r.version = version
	shows(r)
	heard := false
	r.unheard = func() bool { return root.Err() != nil && !heard }
	workflow.Go(ctx, func(ctx workflow.Context) {
		r.cancelled(ctx, root)
		heard, r.changed = true, true
	})
	workflow.Go(ctx, r.deliver)
	if in.Archive {
		workflow.Go(ctx, r.archives)
	}
	r.listenToTree(ctx)
	for {
		r.changed = false
		if r.finished(ctx) {
			return r.closed()
		}
		if r.continues(ctx) {
			return Output{}, r.continued(ctx)
		}
		if r.stops() {
			if err := r.stop(ctx); err != nil {
				return Output{}, err
			}
			continue
		}
		if err := r.rest(ctx); err != nil {
			return Output{}, err
		}
		if err := r.apply(ctx, nil); err != nil {
			return Output{}, err
		}
	}
}

// interpreter is the version of what the workflow asks of Temporal. A change of that which a recorded history
// does not replay with raises it, and keeps the old way for the old version. Since version 2 a timer is kept; since
// version 3 a release is noted of each attempt that has begun.
const interpreter = 3

// closed is how the run has ended, as the workflow says it: an error has the snapshot with it, too.
func (r *run) closed() (Output, error) {
	out := Output{Snapshot: r.machine.EncodeSnapshot(r.snapshot)}
	if len(out.Snapshot) > maxInput {
		out.Snapshot = nil // the queries still give it
	}
	terminal := r.machine.Definition().States[r.snapshot.State].Path
	switch r.snapshot.Outcome {
	case machine.Failed:
		return out, temporal.NewNonRetryableApplicationError("the run has ended in "+terminal, terminal, nil, out)
	case machine.Cancelled:
		return out, temporal.NewCanceledError(out)
	}
	return out, nil
}

// cancelled takes Temporal's own cancel as the step. A run that refuses it has ended.
func (r *run) cancelled(ctx, root workflow.Context) {
	root.Done().Receive(ctx, nil)
	_ = r.apply(ctx, func(*machine.Snapshot) (machine.Input, error) {
		return machine.Input{Kind: machine.CancelInput, Actor: cancelActor}, nil
	})
}

// cancelActor is who cancels a run by Temporal's own cancel.
const cancelActor = "temporal"

// newRun takes the start step. An update that comes with the start waits for it.
func newRun(ctx workflow.Context, in Input, has library) (*run, error) {
	m, below, err := has.read(in.Definition, in.Callees, in.Named, &in)
	if err != nil {
		return nil, err
	}
	id := workflow.GetInfo(ctx).WorkflowExecution.ID
	r := &run{in: in, has: has, machine: m, callees: below, searchable: in.Searchable, unread: func() bool { return false }, turn: workflow.NewMutex(ctx), attempts: map[string]*attempt{}, accepted: map[string]json.RawMessage{}, checkpoints: map[string]json.RawMessage{}, heard: map[string]heard{}, places: map[string]*attempt{}}
	r.snapshot = m.NewSnapshot(id, machine.SeedOf(id))
	r.versions = []version{{0, m, below}}
	if err := r.turn.Lock(ctx); err != nil {
		return nil, err
	}
	defer r.turn.Unlock()
	if err := errors.Join(r.listen(ctx), r.listenToLimits(ctx)); err != nil {
		return nil, err
	}
	if in.Continued != nil {
		return r, r.resume(ctx, in.Continued)
	}
	_, err = r.step(ctx, 0, func(*machine.Snapshot) (machine.Input, error) {
		start, err := m.StartInput(in.Params, workflow.Now(ctx), machine.MaxPayload)
		return in.Parent.start(start), err
	})
	return r, err
}

// rest waits until something has changed, or the next timer of the machine is due.
func (r *run) rest(ctx workflow.Context) error {
	awake := func() bool { return r.changed || r.finished(ctx) || r.stops() || r.continues(ctx) }
	due := r.snapshot.NextDue()
	if due.IsZero() || r.snapshot.Status != machine.Running || !r.snapshot.PausedAt.IsZero() {
		r.timer.set(ctx, time.Time{})
		return workflow.Await(ctx, awake)
	}
	wait := due.Sub(workflow.Now(ctx))
	switch {
	case wait <= 0:
		return nil
	case r.version < 2:
		_, err := workflow.AwaitWithTimeout(ctx, wait, awake)
		return err
	}
	fires := r.timer.set(ctx, due)
	return workflow.Await(ctx, func() bool { return awake() || fires.IsReady() })
}

// pendingTimer is the one timer of Temporal that a run has.
type pendingTimer struct {
	due    time.Time // zero for none
	fires  workflow.Future
	cancel workflow.CancelFunc
}

// set lets the timer fire at due, or never. One for the same time goes on.
func (t *pendingTimer) set(ctx workflow.Context, due time.Time) workflow.Future {
	if !t.due.IsZero() && t.due.Equal(due) && !t.fires.IsReady() {
		return t.fires
	}
	if !t.due.IsZero() {
		t.cancel()
	}
	if *t = (pendingTimer{due: due}); due.IsZero() {
		return nil
	}
	ctx, t.cancel = workflow.WithCancel(ctx)
	t.fires = workflow.NewTimer(ctx, due.Sub(workflow.Now(ctx)))
	return t.fires
}

// apply takes what is due, then an input if there is one, then what follows from it. Of a refused
// input what was due before it stays taken.
func (r *run) apply(ctx workflow.Context, input source) error {
	if err := r.turn.Lock(ctx); err != nil {
		return err
	}
	defer r.turn.Unlock()
	_, err := r.step(ctx, 0, input)
	return err
}

// step is apply for who has the turn, where the run is at ifSeq unless that is 0. It gives the
// records that it made.
func (r *run) step(ctx workflow.Context, ifSeq int64, input source) ([]*machine.Record, error) {
	if err := r.takeProgress(ctx, false); err != nil {
		return nil, err
	}
	return r.advance(ctx, ifSeq, input)
}

// advance is step without what activities have reported meanwhile.
func (r *run) advance(ctx workflow.Context, ifSeq int64, input source) ([]*machine.Record, error) {
	after, commands, records, err := r.take(workflow.Now(ctx), r.ask(ctx), ifSeq, input)
	r.snapshot, r.changed = after, true
	for _, record := range records {
		r.records = append(r.records, r.machine.EncodeRecord(record))
		if record.From != record.To && record.From >= 0 {
			r.left = r.machine.Definition().States[record.From].Path
		}
	}
	r.forget()
	err = cmp.Or(err, r.publishAttributes(ctx))
	r.perform(ctx, machine.NetOf(commands))
	return records, err
}

// forget drops the checkpoints that no attempt will be given.
func (r *run) forget() {
	gone := func(key string) bool {
		return !slices.ContainsFunc(r.snapshot.Tasks, func(t machine.Task) bool { return t.Key == key }) &&
			!slices.ContainsFunc(r.snapshot.Executions, func(x machine.Execution) bool { return x.Key == key })
	}
	maps.DeleteFunc(r.checkpoints, func(key string, _ json.RawMessage) bool { return gone(key) })
	maps.DeleteFunc(r.heard, func(key string, _ heard) bool { return gone(key) })
}

// source gives an input for the run as it is when the input's turn comes.
type source func(*machine.Snapshot) (machine.Input, error)

// take is the step on a copy: nothing of the run changes.
func (r *run) take(now time.Time, ask machine.Ask, ifSeq int64, input source) (
	after *machine.Snapshot, commands []machine.Command, records []*machine.Record, err error,
) {
	after = r.snapshot
	if after.State >= 0 {
		after, commands, records, err = r.machine.Settle(after, now, ask)
	}
	if err != nil || input == nil {
		return after, commands, records, err
	}
	in, err := input(after)
	if err == nil {
		err = r.machine.Expected(after, &in, ifSeq)
	}
	if err != nil {
		return after, commands, records, err
	}
	after, more, made, err := r.machine.Advance(after, in, now, ask)
	return after, append(commands, more...), append(records, made...), err
}

// perform makes a step's commands real.
func (r *run) perform(ctx workflow.Context, net machine.Net) {
	for i := range net.End {
		r.end(&net.End[i])
	}
	for i := range net.Ready { // it waits still: a workflow has one clock
		r.end(&net.Ready[i])
		r.begin(ctx, net.Ready[i].Task)
	}
	for i := range net.Start {
		r.begin(ctx, net.Start[i].Task)
	}
	for i := range net.Publish {
		c := &net.Publish[i]
		d := r.machine.Definition()
		r.outbox = append(r.outbox, Message{ID: c.Message, Run: r.snapshot.Run, Machine: d.Name,
			Event: d.Events[c.Event].Name, Data: r.machine.Published(c), At: r.snapshot.Now})
	}
}

// guardLimit is how long a host guard may take. The limits of Temporal stand behind it, of a worker that dies.
const guardLimit = 5 * time.Second

// ask puts a question to a host guard: a local activity, whose verdict stands in the record.
func (r *run) ask(ctx workflow.Context) machine.Ask {
	return func(guard int, args []machine.Value) (answer bool, err error) {
		encoded, err := r.machine.GuardArgs(guard, args)
		if err != nil {
			return false, err
		}
		local := workflow.WithLocalActivityOptions(ctx, workflow.LocalActivityOptions{
			ScheduleToCloseTimeout: 3 * guardLimit, StartToCloseTimeout: 2 * guardLimit, RetryPolicy: once})
		d := r.machine.Definition()
		var verdict verdict
		if err := workflow.ExecuteLocalActivity(local, guardType(d.Name, d.Guards[guard].Name), encoded).Get(ctx, &verdict); err != nil {
			return false, err
		}
		return verdict.read()
	}
}

// once is what no one but the machine repeats.
var once = &temporal.RetryPolicy{MaximumAttempts: 1}
