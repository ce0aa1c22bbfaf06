// Plays runs of exported machines on the interpreter of their format. Standard input is a list of
// machines with their runs; the answer is what is seen of each run after its start and after each
// thing that comes to it.
import { readFileSync, writeSync } from 'node:fs'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'

const require = createRequire(import.meta.url)

// verdict is what a guard says in a run; the Go test computes the same.
function verdict(name, salt) {
  let hash = salt
  for (const c of name.toLowerCase().replace(/[^a-z0-9]/g, '')) hash = (hash * 31 + c.charCodeAt(0)) % 65521
  return hash % 3 !== 0
}

Math.random = () => 0

// What is invoked runs until the test says how it ends.
const running = {
  transition(state, event) {
    switch (event.type) {
      case 'end': return { ...state, status: 'done', output: event.output }
      case 'fail': return { ...state, status: 'error', error: event.error }
      case 'xstate.stop': return { ...state, status: 'stopped' }
    }
    return state
  },
  getInitialSnapshot: (_, input) => ({ status: 'active', input, output: undefined, error: undefined }),
  getPersistedSnapshot: (state) => state,
}

async function playXState(machine) {
  const { createActor, SimulatedClock } = await import('xstate')
  const library = pathToFileURL(require.resolve('xstate').replace(/\.cjs\.js$/, '.esm.js')).href
  const text = machine.text.replace('from "xstate"', 'from ' + JSON.stringify(library))
  const made = (await import('data:text/javascript,' + encodeURIComponent(text)))[machine.name]
  return machine.runs.map((run, i) => {
    const clock = new SimulatedClock()
    const guards = Object.fromEntries((machine.guards ?? []).map((g) => [g, () => verdict(g, i)]))
    const actors = Object.fromEntries((machine.actors ?? []).map((a) => [a, running]))
    const actor = createActor(made.provide({ guards, actors }), { clock, input: run.input, logger: () => {} })
    const published = []
    actor.on('*', (e) => published.push(e))
    actor.subscribe({ error: (e) => { throw e } })
    actor.start()
    const look = () => {
      clock.increment(0)
      const s = actor.getSnapshot()
      return {
        states: s._nodes.map((n) => n.path.join('.')),
        data: s.context,
        published: [...published],
        ended: s.status === 'done',
      }
    }
    const seen = [look()]
    for (const op of run.ops ?? []) {
      try {
        const call = actor.getSnapshot().children[op.call]
        switch (op.kind) {
          case 'send': actor.send({ ...op.data, type: op.name }); break
          case 'end': call.send({ type: 'end', output: { ...op.data, type: op.name } }); break
          case 'fail': call.send({ type: 'fail', error: { category: op.name, message: '' } }); break
          case 'element': actor.send({ ...op.data, type: op.call + '.' + op.name }); break
          case 'all': actor.send({ type: op.call + '.done' }); break
          case 'wait': clock.increment(op.wait); break
        }
        seen.push(look())
      } catch (e) {
        seen.push({ states: [String(e)] })
      }
    }
    actor.stop()
    return structuredClone(seen)
  })
}

// later is a clock that the test moves.
function later() {
  let now = 0, sent = []
  const fire = (until) => {
    for (;;) {
      const next = sent.filter((s) => s.at <= until).sort((a, b) => a.at - b.at || a.order - b.order)[0]
      if (!next) break
      now = Math.max(now, next.at)
      sent = sent.filter((s) => s !== next)
      next.run()
    }
    now = until
  }
  let order = 0
  return {
    send: (id, ms, run) => sent.push({ id, at: now + ms, run, order: order++ }),
    cancel: (id) => { sent = sent.filter((s) => s.id !== id) },
    pass: (ms) => fire(now + ms),
  }
}

async function playSCXML(machine) {
  const scxml = require('@scion-scxml/scxml')
  const called = (make, ...args) => new Promise((resolve, reject) => make(...args, (err, x) => (err ? reject(err) : resolve(x))))
  const seen = []
  for (const [i, run] of machine.runs.entries()) {
    let text = machine.text
    for (const g of machine.guards ?? []) text = text.replace(new RegExp(`function ${g}\\(args\\) .*`), `function ${g}(args) { return ${verdict(g, i)}; }`)
    const model = await called(scxml.documentStringToModel, 'file:///machine.scxml', text)
    const make = await called((cb) => model.prepare(cb))
    const clock = later(), published = []
    const begin = (session, call, context, done) => done(null, { cancel() {} })
    const chart = new scxml.scion.Statechart(make, {
      params: run.input ?? {},
      invokers: { activity: begin, scxml: begin },
      customSend(event, options) {
        if (event.target === '#_parent') published.push({ ...event.data, type: event.name })
        else clock.send(event.sendid, options.delay, () => chart.gen({ name: event.name, data: event.data }))
      },
      customCancel(id) { clock.cancel(id) },
    })
    chart.start()
    const look = () => {
      clock.pass(0)
      return {
        states: chart.getFullConfiguration().map((id) => id.replaceAll('-', '.')),
        data: chart.getSnapshot()[3],
        published: [...published],
        ended: chart.isFinal(),
      }
    }
    const all = [look()]
    for (const op of run.ops ?? []) {
      switch (op.kind) {
        case 'send': chart.gen({ name: op.name, data: op.data }); break
        case 'end': chart.gen({ name: 'done.invoke.' + op.call, data: { ...op.data, type: op.name } }); break
        case 'fail': chart.gen({ name: 'failed.invoke.' + op.call, data: { category: op.name, message: '' } }); break
        case 'element': chart.gen({ name: 'done.element.' + op.call + '.' + op.name, data: op.data }); break
        case 'all': chart.gen({ name: 'done.invoke.' + op.call }); break
        case 'wait': clock.pass(op.wait); break
      }
      all.push(look())
    }
    seen.push(structuredClone(all))
  }
  return seen
}

const players = { xstate: playXState, scxml: playSCXML }
const answers = []
for (const machine of JSON.parse(readFileSync(0, 'utf8'))) {
  try {
    answers.push(await players[machine.format](machine))
  } catch (e) {
    console.error(machine.name, e, '\n' + machine.text)
    process.exit(1)
  }
}
const text = Buffer.from(JSON.stringify(answers))
for (let at = 0; at < text.length; ) at += writeSync(1, text, at)
