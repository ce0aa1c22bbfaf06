package mcp

// The schemas of answers, written by hand. They say what is always there and of which type,
// and let more be there. The tests hold each answer against its own.

// actions, and how a run stands.
const (
	actionSchema = `{"type":"object","required":["event","doc","schema"],"properties":{` +
		`"event":{"type":"string"},"doc":{"type":"string"},"schema":{"type":"object","description":"JSON Schema of the event's data"}}}`

	answerOutput = `{"type":"object",` +
		`"required":["run","machine","current_state","status","seq","summary","next_allowed_actions","params","data","recent_events","last_updated"],"properties":{` +
		`"run":{"type":"string"},"machine":{"type":"string"},"current_state":{"type":"string"},` +
		`"status":{"type":"string","enum":["running","halted","ending","finished"]},` +
		`"outcome":{"type":"string","enum":["success","failure","cancelled"]},"paused":{"type":"boolean"},` +
		`"seq":{"type":"integer","description":"how many steps the run has taken"},` +
		`"summary":{"type":"string","description":"what the run waits for, since when, until when"},` +
		`"next_allowed_actions":{"type":"array","items":` + actionSchema + `},` +
		`"open_activities":{"type":"array","items":{"type":"object","required":["activity","attempt","events"],"properties":{` +
		`"activity":{"type":"string"},"attempt":{"type":"integer"},"of":{"type":"integer"},"worker":{"type":"string"},` +
		`"last_error":{"type":"string"},"events":{"type":"array","items":` + actionSchema + `}}}},` +
		`"commands":{"type":"array","items":{"type":"string","enum":["pause","resume","retry","cancel"]}},` +
		`"params":{"type":"object"},"data":{"type":"object"},"returns":{"type":"object"},"tags":{"type":"object"},` +
		`"recent_events":{"type":"array","items":{"type":"object","required":["seq","input","to","effect","at"],"properties":{` +
		`"seq":{"type":"integer"},"input":{"type":"string"},"from":{"type":"string"},"to":{"type":"string"},"effect":{"type":"string"},` +
		`"actor":{"type":"string"},"reason":{"type":"string"},"at":{"type":"string","format":"date-time"}}}},` +
		`"last_updated":{"type":"string","format":"date-time"},"repeated":{"type":"boolean"},"note":{"type":"string"}}}`
)

const machinesOutput = `{"type":"object","required":["machines"],"properties":{"machines":{"type":"array","items":{` +
	`"type":"object","required":["name","doc","hash","versions","params","events"],"properties":{` +
	`"name":{"type":"string"},"doc":{"type":"string"},"hash":{"type":"string"},"versions":{"type":"integer"},` +
	`"params":{"type":"object","description":"JSON Schema of the parameters"},"events":{"type":"array","items":` + actionSchema + `},"fault":{"type":"string"}}}}}}`

const runsOutput = `{"type":"object","required":["runs","next"],"properties":{"runs":{"type":"array","items":{` +
	`"type":"object","required":["run","machine","state","status","seq","started","entered","updated"],"properties":{` +
	`"run":{"type":"string"},"machine":{"type":"string"},"state":{"type":"string"},"status":{"type":"string"},"outcome":{"type":"string"},` +
	`"paused":{"type":"boolean"},"seq":{"type":"integer"},"started":{"type":"string"},"entered":{"type":"string"},"updated":{"type":"string"},` +
	`"parent":{"type":"string"},"tags":{"type":"object"}}}},"next":{"type":["string","null"],"description":"ask for the runs after this one; null at the end"}}}`

// stepsSchema is of steps as fsmc history --format json has them.
const stepsSchema = `{"type":"array","items":{"type":"object","required":["seq","at","kind","input","to","effect"],"properties":{` +
	`"seq":{"type":"integer"},"at":{"type":"string"},"kind":{"type":"string"},"input":{"type":"string"},"from":{"type":"string"},` +
	`"to":{"type":"string"},"effect":{"type":"string"}}}}`

const historyOutput = `{"type":"object","required":["run","steps","last"],"properties":{"run":{"type":"string"},"steps":` + stepsSchema + `,` +
	`"last":{"type":"integer","description":"the number of the run's last step"},` +
	`"before":{"type":"integer","description":"ask for the steps before this one; absent where there are none"}}}`

const healthOutput = `{"type":"object","required":["problems"],"properties":{"problems":{"type":"array","items":{` +
	`"type":"object","required":["kind","run","since","why"],"properties":{"kind":{"type":"string"},"run":{"type":"string"},` +
	`"machine":{"type":"string"},"state":{"type":"string"},"since":{"type":"string"},"why":{"type":"string"}}}}}}`

// figures are lists of objects.
const figures = `{"type":"array","items":{"type":"object"}}`

const statsOutput = `{"type":"object","required":["states","outcomes","failures","retries","costs"],"properties":{` +
	`"states":` + figures + `,"outcomes":` + figures + `,"failures":` + figures + `,"retries":` + figures + `,"costs":` + figures + `}}`

const simulateOutput = `{"type":"object","required":["summary","steps","view","choices"],"properties":{"summary":{"type":"string"},"steps":` + stepsSchema + `,` +
	`"view":{"type":"object"},"choices":{"type":"array","items":{"type":"object","required":["input"],"properties":{` +
	`"input":{"type":"object"},"data":{"type":"object","description":"JSON Schema of the input's data"},"in":{"type":"string"},"leads":` + stepsSchema + `}}},` +
	`"ask":{"type":"object","required":["guard","args"],"properties":{"guard":{"type":"string"},"args":{"type":"object"}}}}}`

const checkOutput = `{"type":"object","required":["diagnostics","machines"],"properties":{"diagnostics":{"type":"array","items":{` +
	`"type":"object","required":["rule","severity","message"],"properties":{"rule":{"type":"string"},"severity":{"type":"string","enum":["error","warning","hint"]},` +
	`"message":{"type":"string"}}}},"machines":{"type":"array","items":{"type":"object","required":["name"],"properties":{"name":{"type":"string"}}}}}}`

const explainOutput = `{"type":"object","required":["rule","page"],"properties":{"rule":{"type":"string"},"page":{"type":"string","description":"Markdown"}}}`
