/** Validates a scenario, from a file or from a test, and reports the path of the first error. */

import {
	httpFaults,
	scriptedStops,
	type Answer,
	type Block,
	type Fault,
	type HttpFault,
	type Script,
	type ScriptStep,
	type ScriptedUsage,
	type ToolCallBlock,
	type VendorError,
	type When,
} from "./scenario.ts";

export type ParsedScenario = { script: Script } | { error: string };

export function parseScenario(input: unknown): ParsedScenario {
	try {
		return { script: readScenario(input) };
	} catch (error) {
		if (error instanceof Misfit) return { error: error.message };
		throw error;
	}
}

/** Thrown inside this file only; `parseScenario` turns it into a value. */
class Misfit extends Error {
	constructor(path: string, problem: string) {
		super(`${path} ${problem}`);
	}
}

type Fields = Record<string, unknown>;

function readScenario(input: unknown): Script {
	const root = fields(input, "scenario", ["steps", "fallback", "reasoningField"]);
	if (!Array.isArray(root["steps"])) throw new Misfit("steps", "must be a list");
	const script: Script = { steps: root["steps"].map((step, index) => readStep(step, `steps[${index}]`)) };
	if (root["fallback"] !== undefined) {
		// A fallback never runs out.
		script.fallback = { ...readStep(root["fallback"], "fallback"), times: Infinity };
	}
	if (root["reasoningField"] !== undefined) {
		const known = ["reasoning_content", "reasoning"] as const;
		script.reasoningField = oneOf(root["reasoningField"], known, "reasoningField");
	}
	return script;
}

function readStep(input: unknown, path: string): ScriptStep {
	if (typeof input === "string") return { answer: readAnswer(input, `${path}.answer`), times: 1 };
	const step = fields(input, path, ["when", "answer", "fault", "times"]);
	const read: ScriptStep = { times: readTimes(step["times"], `${path}.times`) };
	if (step["when"] !== undefined) read.when = readWhen(step["when"], `${path}.when`);
	if (step["answer"] !== undefined) read.answer = readAnswer(step["answer"], `${path}.answer`);
	if (step["fault"] !== undefined) read.fault = readFault(step["fault"], `${path}.fault`);
	if (!read.answer && !read.fault) throw new Misfit(path, "needs an answer or a fault");
	if (!read.answer && read.fault && !standsAlone(read.fault)) {
		throw new Misfit(path, "needs an answer, because its fault happens in the middle of one");
	}
	return read;
}

function standsAlone(fault: Fault): boolean {
	return "http" in fault || "overflow" in fault || "silent" in fault;
}

function readTimes(input: unknown, path: string): number {
	if (input === undefined) return 1;
	if (input === "always" || input === Infinity) return Infinity;
	if (typeof input === "number" && Number.isInteger(input) && input > 0) return input;
	throw new Misfit(path, 'must be a whole number above 0, or "always"');
}

function readWhen(input: unknown, path: string): When {
	const when = fields(input, path, ["request", "path", "bodyContains", "protocol"]);
	const read: When = {};
	if (when["request"] !== undefined) read.request = whole(when["request"], `${path}.request`, 1);
	if (when["path"] !== undefined) read.path = text(when["path"], `${path}.path`);
	if (when["bodyContains"] !== undefined) {
		read.bodyContains = text(when["bodyContains"], `${path}.bodyContains`);
	}
	if (when["protocol"] !== undefined) read.protocol = text(when["protocol"], `${path}.protocol`);
	return read;
}

function readAnswer(input: unknown, path: string): Answer {
	if (typeof input === "string") return { blocks: [{ text: input }] };
	const answer = fields(input, path, ["blocks", "usage", "stopReason", "model", "delayMs", "id"]);
	if (!Array.isArray(answer["blocks"])) throw new Misfit(`${path}.blocks`, "must be a list");
	const blocks = answer["blocks"].map((block, index) => readBlock(block, `${path}.blocks[${index}]`));
	const read: Answer = { blocks };
	if (answer["usage"] !== undefined) read.usage = readUsage(answer["usage"], `${path}.usage`);
	if (answer["stopReason"] !== undefined) {
		read.stopReason = oneOf(answer["stopReason"], scriptedStops, `${path}.stopReason`);
	}
	if (answer["model"] !== undefined) read.model = text(answer["model"], `${path}.model`);
	if (answer["delayMs"] !== undefined) read.delayMs = amount(answer["delayMs"], `${path}.delayMs`);
	if (answer["id"] !== undefined) read.id = text(answer["id"], `${path}.id`);
	return read;
}

function readUsage(input: unknown, path: string): ScriptedUsage {
	const known = ["input", "output", "cacheRead", "cacheWrite"] as const;
	const usage = fields(input, path, known);
	const read: ScriptedUsage = {};
	for (const name of known) {
		if (usage[name] !== undefined) read[name] = whole(usage[name], `${path}.${name}`, 0);
	}
	return read;
}

const blockFields = {
	text: ["text", "chunks"],
	thinking: ["thinking", "signature", "chunks"],
	redactedThinking: ["redactedThinking"],
	toolCall: ["toolCall", "chunks"],
} as const;

function readBlock(input: unknown, path: string): Block {
	if (typeof input === "string") return { text: input };
	const kind = kindOf(input, path, blockFields);
	const block = fields(input, path, blockFields[kind]);
	const chunks = block["chunks"] === undefined ? {} : { chunks: whole(block["chunks"], `${path}.chunks`, 1) };
	switch (kind) {
		case "text":
			return { text: text(block["text"], `${path}.text`), ...chunks };
		case "thinking": {
			const thinking = text(block["thinking"], `${path}.thinking`);
			if (block["signature"] === undefined) return { thinking, ...chunks };
			return { thinking, signature: text(block["signature"], `${path}.signature`), ...chunks };
		}
		case "redactedThinking":
			return { redactedThinking: text(block["redactedThinking"], `${path}.redactedThinking`) };
		case "toolCall":
			return { toolCall: readToolCall(block["toolCall"], `${path}.toolCall`), ...chunks };
	}
}

function readToolCall(input: unknown, path: string): ToolCallBlock["toolCall"] {
	const call = fields(input, path, ["name", "arguments", "id"]);
	const args = call["arguments"];
	const read = {
		name: text(call["name"], `${path}.name`),
		arguments: typeof args === "string" ? args : record(args, `${path}.arguments`),
	};
	return call["id"] === undefined ? read : { ...read, id: text(call["id"], `${path}.id`) };
}

const faultFields = {
	http: ["http", "body", "retryAfter"],
	overflow: ["overflow"],
	silent: ["silent"],
	errorEvent: ["errorEvent", "afterChunks"],
	tornAtByte: ["tornAtByte"],
	malformedLine: ["malformedLine", "afterChunks"],
	pauseMs: ["pauseMs", "afterChunks"],
	truncated: ["truncated"],
} as const;

function readFault(input: unknown, path: string): Fault {
	const kind = kindOf(input, path, faultFields);
	const fault = fields(input, path, faultFields[kind]);
	const afterChunks = () => whole(fault["afterChunks"], `${path}.afterChunks`, 0);
	switch (kind) {
		case "http":
			return readHttpFault(fault, path);
		case "overflow":
			return { overflow: yes(fault["overflow"], `${path}.overflow`) };
		case "silent":
			return { silent: yes(fault["silent"], `${path}.silent`) };
		case "truncated":
			return { truncated: yes(fault["truncated"], `${path}.truncated`) };
		case "tornAtByte":
			return { tornAtByte: whole(fault["tornAtByte"], `${path}.tornAtByte`, 0) };
		case "pauseMs":
			return { pauseMs: amount(fault["pauseMs"], `${path}.pauseMs`), afterChunks: afterChunks() };
		case "malformedLine":
			return {
				malformedLine: text(fault["malformedLine"], `${path}.malformedLine`),
				afterChunks: afterChunks(),
			};
		case "errorEvent":
			return {
				errorEvent: readVendorError(fault["errorEvent"], `${path}.errorEvent`),
				afterChunks: afterChunks(),
			};
	}
}

function readHttpFault(fault: Fields, path: string): HttpFault {
	const read: HttpFault = { http: oneOf(fault["http"], httpFaults, `${path}.http`) };
	if (fault["body"] !== undefined) read.body = fault["body"];
	const wait = fault["retryAfter"];
	if (wait !== undefined) {
		read.retryAfter = typeof wait === "string" ? wait : amount(wait, `${path}.retryAfter`);
	}
	return read;
}

function readVendorError(input: unknown, path: string): VendorError {
	const error = fields(input, path, ["type", "message", "code"]);
	return {
		type: text(error["type"], `${path}.type`),
		message: text(error["message"], `${path}.message`),
		...(error["code"] === undefined ? {} : { code: text(error["code"], `${path}.code`) }),
	};
}

function record(input: unknown, path: string): Fields {
	if (typeof input !== "object" || input === null || Array.isArray(input)) {
		throw new Misfit(path, "must be an object");
	}
	return Object.fromEntries(Object.entries(input));
}

function fields(input: unknown, path: string, known: readonly string[]): Fields {
	const read = record(input, path);
	for (const name of Object.keys(read)) {
		if (!known.includes(name)) {
			// A name from a file may contain anything, and the message is one line.
			const shown = /^\w+$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
			throw new Misfit(`${path}${shown}`, `is not a field (known here: ${known.join(", ")})`);
		}
	}
	return read;
}

/** A variant is recognized by the one field that only it has. */
function kindOf<Kind extends string>(
	input: unknown,
	path: string,
	table: Record<Kind, readonly string[]>,
): Kind {
	const variant = record(input, path);
	const kinds = Object.keys(table).filter((key): key is Kind => key in table);
	const present = kinds.filter((kind) => variant[kind] !== undefined);
	const [kind] = present;
	if (kind === undefined) throw new Misfit(path, `needs one of ${kinds.join(", ")}`);
	if (present.length > 1) throw new Misfit(path, `has ${present.join(" and ")}; it can be only one of them`);
	return kind;
}

function oneOf<Value extends string | number>(input: unknown, known: readonly Value[], path: string): Value {
	const match = known.find((value) => value === input);
	if (match === undefined) throw new Misfit(path, `must be one of ${known.join(", ")}`);
	return match;
}

function text(input: unknown, path: string): string {
	if (typeof input !== "string") throw new Misfit(path, "must be a string");
	return input;
}

function whole(input: unknown, path: string, least: number): number {
	if (typeof input === "number" && Number.isInteger(input) && input >= least) return input;
	throw new Misfit(path, `must be a whole number of at least ${least}`);
}

function amount(input: unknown, path: string): number {
	if (typeof input === "number" && Number.isFinite(input) && input >= 0) return input;
	throw new Misfit(path, "must be a number of at least 0");
}

function yes(input: unknown, path: string): true {
	if (input !== true) throw new Misfit(path, "can only be true");
	return true;
}
