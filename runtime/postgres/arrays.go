package postgres

import (
	"context"
	"encoding/binary"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// arrays writes the columns of a batch in the binary form of the server. pgx makes a value of
// each element and a plan for it, which took a third of all that a batch allocates. What is no such column it writes as before.
type arrays struct{ *pgtype.ArrayCodec }

// registerArrays has a connection write columns so.
func registerArrays(_ context.Context, conn *pgx.Conn) error {
	types := conn.TypeMap()
	for _, oid := range []uint32{pgtype.TextArrayOID, pgtype.Int8ArrayOID, pgtype.BoolArrayOID, pgtype.TimestamptzArrayOID} {
		if known, ok := types.TypeForOID(oid); ok {
			if codec, ok := known.Codec.(*pgtype.ArrayCodec); ok {
				types.RegisterType(&pgtype.Type{Name: known.Name, OID: oid, Codec: arrays{codec}})
			}
		}
	}
	return nil
}

func (a arrays) PlanEncode(m *pgtype.Map, oid uint32, format int16, value any) pgtype.EncodePlan {
	if plan := planOf(value); plan != nil && format == pgtype.BinaryFormatCode && a.ElementType.OID == plan.element() {
		return plan
	}
	return a.ArrayCodec.PlanEncode(m, oid, format, value)
}

// plan writes arrays of elements of a type of the server.
type plan interface {
	pgtype.EncodePlan
	element() uint32
}

func planOf(value any) plan {
	switch value.(type) {
	case []string:
		return texts
	case []*string:
		return orNull(texts)
	case []int64:
		return numbers
	case []*int64:
		return orNull(numbers)
	case []bool:
		return truths
	case []time.Time:
		return times
	case []*time.Time:
		return orNull(times)
	}
	return nil
}

// elements writes arrays of T: each element with its length before it.
type elements[T any] struct {
	oid   uint32
	write func(to []byte, value T) []byte
}

func (e elements[T]) element() uint32 { return e.oid }

func (e elements[T]) Encode(value any, to []byte) ([]byte, error) {
	all := value.([]T)
	if all == nil {
		return nil, nil
	}
	for _, n := range []uint32{
		1, // dimension
		1, // there may be a NULL
		e.oid,
		uint32(len(all)),
		1, // the first subscript
	} {
		to = binary.BigEndian.AppendUint32(to, n)
	}
	for _, v := range all {
		to = e.write(to, v)
	}
	return to, nil
}

// orNull writes arrays where nil is NULL.
func orNull[T any](e elements[T]) elements[*T] {
	return elements[*T]{e.oid, func(to []byte, value *T) []byte {
		if value == nil {
			return binary.BigEndian.AppendUint32(to, 1<<32-1)
		}
		return e.write(to, *value)
	}}
}

var (
	texts = elements[string]{pgtype.TextOID, func(to []byte, s string) []byte {
		return append(binary.BigEndian.AppendUint32(to, uint32(len(s))), s...)
	}}
	numbers = elements[int64]{pgtype.Int8OID, func(to []byte, n int64) []byte {
		return binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint32(to, 8), uint64(n))
	}}
	truths = elements[bool]{pgtype.BoolOID, func(to []byte, yes bool) []byte {
		to = binary.BigEndian.AppendUint32(to, 1)
		if yes {
			return append(to, 1)
		}
		return append(to, 0)
	}}
	// times are microseconds since 2000.
	times = elements[time.Time]{pgtype.TimestamptzOID, func(to []byte, t time.Time) []byte {
		return numbers.write(to, t.UnixMicro()-firstMoment)
	}}
)

// firstMoment is the beginning of the year 2000.
var firstMoment = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).UnixMicro()
