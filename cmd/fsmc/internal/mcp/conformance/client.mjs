// The official client in TypeScript plays a run of the machine Asked to its end, over stdio or HTTP. It holds what
// the server says against the protocol's schemas, and each answer against the schema that its tool promises.
// The last line on standard output is what it has seen.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [run, ...where] = process.argv.slice(2);
const transport = where[0].startsWith("http")
  ? new StreamableHTTPClientTransport(new URL(where[0]))
  : new StdioClientTransport({ command: where[0], args: where.slice(1) });
const client = new Client({ name: "official", version: "1" });
await client.connect(transport);

const { tools } = await client.listTools();
const asked = new Set();
/** Calls a tool. Its answer must be structured, as its schema says. */
async function call(name, args, refused = false) {
  asked.add(name);
  const answer = await client.callTool({ name, arguments: args });
  if (Boolean(answer.isError) !== refused) throw new Error(name + ": " + JSON.stringify(answer.content));
  if (!refused && !answer.structuredContent) throw new Error(name + " has no structured answer");
  return refused ? answer.content[0].text : answer.structuredContent;
}

await call("list_machines", {});
const begun = await call("start_run", { machine: "Asked", id: run, params: { question: "why?" } });
await call("list_runs", { where: "machine=Asked" });
await call("simulate", { run });
const refusal = await call("send_event", { run, event: "Anwsered", data: { text: "x" } }, true);
await call("pause_run", { run, reason: "lunch" });
await call("resume_run", { run, reason: "back" });
const before = await call("get_run", { run });
const ended = await call("send_event", { run, event: before.next_allowed_actions[0].event, data: { text: "because" }, if_seq: before.seq });
await call("get_history", { run });
await call("health", {});
await call("stats", {});
await call("check_machine", { source: "machine M {\n initial A\n state A { }\n}" });
await call("explain_rule", { rule: "dead-end" });
const second = run + "-2";
await call("start_run", { machine: "Asked", id: second, params: { question: "why?" } });
await call("cancel_run", { run: second, reason: "done with it" });
for (const name of ["retry_run", "complete_activity"]) await call(name, { run, reason: "x", activity: "x" }, true);

const { resourceTemplates } = await client.listResourceTemplates();
const read = [];
for (const { uriTemplate } of resourceTemplates) {
  const uri = uriTemplate.replace(/\{.*\}/, uriTemplate.includes("machines") ? "Asked" : run);
  read.push((await client.readResource({ uri })).contents[0].text.length);
}
await client.close();
console.log(JSON.stringify({
  begun: begun.current_state, refusal, ended: ended.current_state, status: ended.status, outcome: ended.outcome,
  never: tools.map((t) => t.name).filter((name) => !asked.has(name)), resources: resourceTemplates.length, empty: read.filter((n) => n === 0).length,
}));
