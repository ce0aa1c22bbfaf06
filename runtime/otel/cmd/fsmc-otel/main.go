// Fsmc-otel follows a database of fsmc, and sends what happens in it to a collector of OpenTelemetry, by
// OTLP over HTTP: each run as a trace, and figures. It changes nothing in the database.
//
// Where the collector is, and what it must be told, the variables of OpenTelemetry say, such as
// OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS, OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/sdk/trace"

	"github.com/fsmc-dev/fsmc/runtime"
	"github.com/fsmc-dev/fsmc/runtime/otel"
	"github.com/fsmc-dev/fsmc/runtime/postgres"
	"github.com/fsmc-dev/fsmc/runtime/sqlite"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stderr); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "fsmc-otel:", err)
		}
		os.Exit(2)
	}
}

// settings are the command line.
type settings struct {
	db, position  string
	since         time.Duration
	linked, until bool
}

func parse(args []string, out io.Writer) (s settings, err error) {
	f := flag.NewFlagSet("fsmc-otel", flag.ContinueOnError)
	f.SetOutput(out)
	f.StringVar(&s.db, "db", "", "the database `FILE`, or the address of a PostgreSQL database")
	f.StringVar(&s.position, "position", "", "keep in `FILE` how far it has come, and continue there")
	f.DurationVar(&s.since, "since", 0, "begin with the steps of the last `DURATION`; without it and --position, with those to come")
	f.BoolVar(&s.linked, "linked", false, "make each visit of a state a trace of its own, with a link to that of the run")
	f.BoolVar(&s.until, "until-now", false, "end when all that has happened is sent")
	f.Usage = func() {
		fmt.Fprint(out, `fsmc-otel sends what happens in a database of fsmc to a collector of OpenTelemetry:
each run as a trace, and figures. OTEL_EXPORTER_OTLP_ENDPOINT and the other variables
of OpenTelemetry say where it is.

`)
		f.PrintDefaults()
	}
	switch err := f.Parse(args); {
	case err != nil:
		return s, err
	case f.NArg() > 0:
		return s, fmt.Errorf("%q is no flag", f.Arg(0))
	case s.db == "":
		return s, errors.New("--db FILE is missing")
	case s.since < 0:
		return s, errors.New("--since is not negative")
	}
	return s, nil
}

func run(ctx context.Context, args []string, errs io.Writer) error {
	s, err := parse(args, errs)
	if err != nil {
		return err
	}
	store, err := open(ctx, s.db)
	if err != nil {
		return err
	}
	defer func() { _ = store.Close() }()
	spans, err := otlptracehttp.New(ctx)
	if err != nil {
		return err
	}
	figures, err := otlpmetrichttp.New(ctx)
	if err != nil {
		return err
	}
	about, err := resource.New(ctx, resource.WithAttributes(attribute.String("service.name", "fsmc")), resource.WithFromEnv(), resource.WithTelemetrySDK())
	if err != nil {
		return err
	}
	tracers := trace.NewTracerProvider(trace.WithIDGenerator(otel.IDs()), trace.WithResource(about), trace.WithBatcher(spans,
		trace.WithBatchTimeout(24*time.Hour), trace.WithMaxExportBatchSize(spansOfPage), trace.WithMaxQueueSize(2*spansOfPage))) // follower sends, and hears of errors
	meters := metric.NewMeterProvider(metric.WithResource(about), metric.WithReader(metric.NewPeriodicReader(figures)))
	var opts []otel.Option
	if s.linked {
		opts = append(opts, otel.Linked())
	}
	traces, err := otel.Observer(tracers, nil, opts...)
	if err != nil {
		return err
	}
	counts, err := otel.Observer(nil, meters)
	if err != nil {
		return err
	}
	f := &follower{engine: runtime.NewEngine(store), traces: traces, figures: counts, sent: tracers.ForceFlush, keep: s.keep,
		log: func(format string, args ...any) { fmt.Fprintf(errs, "fsmc-otel: "+format+"\n", args...) }}
	position, err := s.begin(ctx, f.engine)
	if err != nil {
		return err
	}
	if s.until {
		_, err = f.catchUp(ctx, position)
	} else {
		err = f.follow(ctx, position, time.Second)
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	return errors.Join(err, tracers.Shutdown(last), meters.Shutdown(last))
}

// open opens a database, to be read alone.
func open(ctx context.Context, db string) (runtime.Store, error) {
	if postgres.IsURL(db) {
		return postgres.Open(ctx, db, postgres.ReadOnly())
	}
	if _, err := os.Stat(db); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no database %q", db)
	} else if err != nil {
		return nil, err
	}
	return sqlite.Open(ctx, db, sqlite.ReadOnly())
}

// begin is the position behind which the first step is told.
func (s *settings) begin(ctx context.Context, engine *runtime.Engine) (int64, error) {
	end, err := engine.FeedEnd(ctx)
	if err != nil {
		return 0, err
	}
	if s.position != "" {
		text, err := os.ReadFile(s.position)
		if err == nil {
			kept, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
			switch {
			case err != nil || kept < 0:
				return 0, fmt.Errorf("%s has no position", s.position)
			case kept > end:
				return 0, fmt.Errorf("%s has a position beyond the end of the database: it is of another one, or of this one before a backup took its place", s.position)
			}
			return kept, nil
		}
		if !errors.Is(err, os.ErrNotExist) {
			return 0, err
		}
	}
	if s.since > 0 {
		return engine.FeedSince(ctx, time.Now().Add(-s.since))
	}
	return end, s.keep(end)
}

// keep writes a position, whole or not at all.
func (s *settings) keep(position int64) error {
	if s.position == "" {
		return nil
	}
	next := s.position + ".next"
	if err := os.WriteFile(next, []byte(strconv.FormatInt(position, 10)+"\n"), 0o600); err != nil {
		return err
	}
	return os.Rename(next, s.position)
}
