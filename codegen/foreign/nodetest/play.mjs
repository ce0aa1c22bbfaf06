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
  let now = 0, order = 0, sent = []
  // step does what is due first, if that is due by then, and says whether there was something.
  const step = (until) => {
    const next = sent.filter((s) => s.at <= until).sort((a, b) => a.at - b.at || a.order - b.order)[0]
    now = next ? Math.max(now, next.at) : until
    sent = sent.filter((s) => s !== next)
    next?.run()
    return next !== undefined
  }
  return {
    now: () => now,
    send: (id, ms, run) => sent.push({ id, at: now + ms, run, order: order++ }),
    cancel: (id) => { sent = sent.filter((s) => s.id !== id) },
    step,
    pass: (ms) => { for (const end = now + ms; step(end); ); },
  }
}

async function playSCXML(machine) {
  const scxml = require('@scion-scxml/scxml')
  const called = (make, ...args) => new Promise((resolve, reject) => make(...args, (err, x) => (err ? reject(err) : resolve(x))))
  const seen = [], models = new Map() // by text: guards answer in few ways
  for (const [i, run] of machine.runs.entries()) {
    let text = machine.text
    for (const g of machine.guards ?? []) text = text.replace(new RegExp(`function ${g}\\(args\\) .*`), `function ${g}(args) { return ${verdict(g, i)}; }`)
    if (!models.has(text)) models.set(text, await called(scxml.documentStringToModel, 'file:///machine.scxml', text))
    const make = await called((cb) => models.get(text).prepare(cb)) // whose data all that runs it shares
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

// playASL is a player for the part of the Amazon States Language that uses JSONata and variables,
// written from its specification: no interpreter in a registry knows these yet.
async function playASL(machine) {
  const jsonata = (await import('jsonata')).default
  const { default: validate } = await import('asl-validator')
  const definition = JSON.parse(machine.text)
  const { isValid, errors, errorsText } = validate(definition, { checkArn: false })
  if (!isValid) throw new Error(errorsText?.() ?? JSON.stringify(errors))
  const parsed = new Map()
  const all = []
  for (const [i, run] of machine.runs.entries()) {
    const clock = later(), published = [], variables = {}
    let name = definition.StartAt, input = run.input ?? {}, at = null, ended = false, tries = null

    const compute = async (v, states) => {
      if (typeof v === 'string' && v.startsWith('{%')) {
        const text = v.slice(2, -2)
        if (!parsed.has(text)) parsed.set(text, jsonata(text))
        const value = await parsed.get(text).evaluate(undefined, { ...variables, states, parse: JSON.parse })
        if (value === undefined) throw new Error('nothing comes of ' + text)
        return JSON.parse(JSON.stringify(value))
      }
      if (Array.isArray(v)) return Promise.all(v.map((x) => compute(x, states)))
      if (v && typeof v === 'object') {
        const out = {}
        for (const [k, x] of Object.entries(v)) out[k] = await compute(x, states)
        return out
      }
      return v
    }
    const context = { Execution: { Name: 'r', StartTime: '2027-01-15T08:00:00Z' }, Task: { Token: 't' } }
    const assign = async (o, states) => { if (o?.Assign) Object.assign(variables, await compute(o.Assign, states)) }
    const stop = () => { clock.cancel('limit'); at = null }

    // leave takes a rule, a catcher or a state itself: it assigns, and its output is the next input.
    const leave = async (o, states, output) => {
      const value = o.Output === undefined ? output : await compute(o.Output, states)
      await assign(o, states)
      input = value
      name = o.Next ?? o.Default
      stop()
      tries = null
    }
    const fail = async (error) => {
      const state = definition.States[name]
      tries ??= new Map()
      for (const r of state.Retry ?? []) {
        if (!r.ErrorEquals.includes(error) && !(r.ErrorEquals[0] === 'States.ALL')) continue
        const n = tries.get(r) ?? 0
        if (n >= (r.MaxAttempts ?? 3)) break
        tries.set(r, n + 1)
        stop()
        at = 'retry'
        clock.send('limit', 1000 * Math.min((r.IntervalSeconds ?? 1) * (r.BackoffRate ?? 2) ** n, r.MaxDelaySeconds ?? Infinity), () => { due = 'again' })
        return
      }
      const states = { input, context, errorOutput: { Error: error, Cause: '' } }
      const c = (state.Catch ?? []).find((c) => c.ErrorEquals.includes(error) || c.ErrorEquals[0] === 'States.ALL')
      if (!c) throw new Error(error + ' in ' + name)
      await leave(c, states, states.errorOutput)
    }

    // settle goes on until something has to come.
    let due = null
    const settle = async () => {
      for (let n = 0; !at && !ended; n++) {
        if (n > 1000) throw new Error('it goes round in ' + name)
        const state = definition.States[name]
        const states = { input, context }
        switch (state.Type) {
          case 'Pass': await leave(state, states, input); break
          case 'Succeed': case 'Fail': ended = true; break
          case 'Choice': {
            let rule = { Default: state.Default, Assign: state.Assign }
            for (const r of state.Choices) if (await compute(r.Condition, states)) { rule = r; break }
            if (!(rule.Next ?? rule.Default)) throw new Error('no choice in ' + name)
            await leave(rule, states, input)
            break
          }
          case 'Wait': {
            at = 'wait'
            clock.send('limit', 1000 * await compute(state.Seconds, states), () => { due = 'over' })
            break
          }
          case 'Task': {
            const a = await compute(state.Arguments, states)
            const guard = (machine.guards ?? []).includes(a.FunctionName)
            if (guard || state.Resource.endsWith('putEvents')) {
              if (!guard) published.push({ ...a.Entries[0].Detail, type: a.Entries[0].DetailType })
              await leave(state, { ...states, result: { Payload: verdict(String(a.FunctionName), i) } }, {})
              break
            }
            at = state.Resource.endsWith('waitForTaskToken') ? 'token' : 'task'
            if (state.TimeoutSeconds) clock.send('limit', 1000 * await compute(state.TimeoutSeconds, states), () => { due = 'timeout' })
            break
          }
          default: throw new Error(state.Type)
        }
      }
    }
    const pass = async (ms) => {
      const end = clock.now() + ms
      while (!ended && clock.step(end)) {
        const what = due
        due = null
        if (what === 'run') {
          ended = true
          name = machine.late
        } else if (what === 'timeout') {
          await fail('States.Timeout')
        } else if (what === 'over') {
          await leave(definition.States[name], { input, context }, input)
        } else {
          at = null
        }
        await settle()
      }
    }
    if (definition.TimeoutSeconds) clock.send('run', 1000 * definition.TimeoutSeconds, () => { due = 'run' })
    await settle()
    const look = () => ({
      states: [name], ended, published: [...published],
      data: Object.fromEntries(Object.entries(variables).filter(([, v]) => v !== null)),
    })
    const seen = [look()]
    for (const op of run.ops ?? []) {
      try {
        const state = definition.States[name]
        const answer = async (result) => { await leave(state, { input, context, result }, result); await settle() }
        switch (op.kind) {
          case 'send': if (at === 'token') await answer({ ...op.data, type: op.name }); break
          case 'end': await answer({ Payload: { ...op.data, type: op.name }, Output: { ...op.data, type: op.name } }); break
          case 'fail': await fail({ timeout: 'States.Timeout', silent: 'States.HeartbeatTimeout', unknown: 'Error' }[op.name] ?? op.name); await settle(); break
          case 'wait': await pass(op.wait); break
        }
        seen.push(look())
      } catch (e) {
        seen.push({ states: [String(e) + ' in ' + name] })
      }
    }
    all.push(seen)
  }
  return all
}

const players = { xstate: playXState, scxml: playSCXML, asl: playASL }
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
