/** Looks into a stopped debuggee: threads, stack, variables, expressions, memory and instructions. */
import type { AgentToolResult } from "@tau/agent";
import type { DebugProtocol } from "@vscode/debugprotocol";
import { stripControls } from "@tau/utils";

import { DapError, records } from "../client/connection.ts";
import type { DebugSession } from "../client/debug-session.ts";
import { debuggers } from "../debuggers.ts";
import { limits } from "../limits.ts";
import { type ToolContext, textResult } from "@tau/tools/tool";
import type { Arguments } from "../parameters.ts";
import { evaluate, frameOf, placeOf, shownValues, stackFrames, value } from "./report.ts";

const sessionOf = (args: Arguments, context: ToolContext): DebugSession =>
	context.services.get(debuggers, context).session(args.session);

export async function threads(args: Arguments, context: ToolContext): Promise<AgentToolResult> {
	const session = sessionOf(args, context);
	const answer = await session.request<DebugProtocol.ThreadsResponse["body"]>("threads", {}, context);
	const list = records(answer.threads);
	const lines = list
		.slice(0, limits.threads)
		.map(({ id, name }) => `${id === session.stop?.threadId ? ">" : " "} ${id} ${value(name)}`);
	if (list.length > limits.threads) lines.push(`${list.length - limits.threads} more`);
	return textResult(lines.join("\n") || "No threads.");
}

export async function stack(args: Arguments, context: ToolContext): Promise<AgentToolResult> {
	const session = sessionOf(args, context);
	const levels = limits.frames + 1;
	const frames = await stackFrames(session, { thread: args.thread, levels }, context);
	const lines = frames.slice(0, limits.frames).map((frame, at) => `#${at} ${placeOf(frame, context)}`);
	if (frames.length > limits.frames) lines.push("more frames follow");
	return textResult(lines.join("\n") || "No frames.");
}

/** The local variables of a frame, or what is inside an expression. */
export async function variables(args: Arguments, context: ToolContext): Promise<AgentToolResult> {
	const session = sessionOf(args, context);
	const frame = await frameOf(session, args, context);
	if (args.show) return textResult((await shownValues(session, args.show, args, context)).join("\n"));
	if (args.expression !== undefined) {
		const answer = await evaluate(session, args.expression, { frameId: frame.id, context: "watch" }, context);
		const inside = await children(session, answer.variablesReference, 2, context);
		return textResult([`${args.expression} = ${value(answer.result)}`, ...inside.map(indented)].join("\n"));
	}
	const lines: string[] = [];
	for (const scope of await scopesOf(session, frame.id, context)) {
		if (scope.expensive || scope.presentationHint === "registers" || isGlobal(scope)) continue;
		const inside = await children(session, scope.variablesReference, 1, context);
		lines.push(`${value(scope.name)}:`, ...inside.map(indented));
	}
	return textResult(lines.join("\n") || "No variables.");
}

const indented = (line: string): string => `  ${line}`;
const isGlobal = ({ name }: DebugProtocol.Scope): boolean => /global|register|static/i.test(name);

async function scopesOf(
	session: DebugSession,
	frameId: number,
	{ signal }: Pick<ToolContext, "signal">,
): Promise<DebugProtocol.Scope[]> {
	const answer = await session.request<DebugProtocol.ScopesResponse["body"]>(
		"scopes",
		{ frameId },
		{ signal },
	);
	return records(answer.scopes);
}

async function listVariables(
	session: DebugSession,
	variablesReference: number,
	{ signal }: Pick<ToolContext, "signal">,
): Promise<DebugProtocol.Variable[]> {
	if (!variablesReference) return [];
	const answer = await session.request<DebugProtocol.VariablesResponse["body"]>(
		"variables",
		{ variablesReference },
		{ signal },
	);
	return records(answer.variables);
}

/** Members that an adapter makes up, such as "special variables", are left out. */
async function children(
	session: DebugSession,
	reference: number,
	depth: number,
	context: Pick<ToolContext, "signal">,
): Promise<string[]> {
	const all = await listVariables(session, reference, context);
	const list = all.filter(({ presentationHint, name }) => {
		return presentationHint?.kind !== "virtual" && !/^(special|function|class) variables$/.test(name);
	});
	const lines: string[] = [];
	for (const one of list.slice(0, limits.variables)) {
		const type = one.type ? ` (${value(one.type, 60)})` : "";
		lines.push(`${value(one.name)}${type} = ${value(one.value)}`);
		if (depth > 1 && one.variablesReference)
			lines.push(...(await children(session, one.variablesReference, depth - 1, context)).map(indented));
	}
	if (list.length > limits.variables) lines.push(`${list.length - limits.variables} more`);
	return lines;
}

/** Runs code in the debuggee, as its own console would. */
export async function evaluateExpression(args: Arguments, context: ToolContext): Promise<AgentToolResult> {
	const expression = required(args, "expression");
	const session = sessionOf(args, context);
	const frame = await frameOf(session, args, context);
	const answer = await evaluate(session, expression, { frameId: frame.id, context: "repl" }, context);
	const text = stripControls(String(answer.result ?? "")).slice(0, limits.answerChars);
	const printed = session.output.unseen(limits.reportOutputChars).trimEnd();
	return textResult([text, ...(printed === "" ? [] : ["Output:", printed])].join("\n").trim() || "Done.");
}

/** Sets a variable of the frame, or any expression where the adapter can. */
export async function setVariable(args: Arguments, context: ToolContext): Promise<AgentToolResult> {
	const name = required(args, "expression");
	const wanted = required(args, "value");
	const session = sessionOf(args, context);
	const frame = await frameOf(session, args, context);
	const { signal } = context;
	if (session.capabilities.supportsSetVariable) {
		for (const { variablesReference } of await scopesOf(session, frame.id, context)) {
			const list = await listVariables(session, variablesReference, context);
			if (!list.some((one) => one.name === name)) continue;
			const answer = await session.request<DebugProtocol.SetVariableResponse["body"]>(
				"setVariable",
				{ variablesReference, name, value: wanted },
				{ signal },
			);
			return textResult(`${name} = ${value(answer.value)}`);
		}
	}
	if (!session.capabilities.supportsSetExpression)
		throw new DapError(`There is no variable ${name} in this frame that ${session.row.name} can set.`);
	const answer = await session.request<DebugProtocol.SetExpressionResponse["body"]>(
		"setExpression",
		{ expression: name, value: wanted, frameId: frame.id },
		{ signal },
	);
	return textResult(`${name} = ${value(answer.value)}`);
}

export async function output(args: Arguments, context: ToolContext): Promise<AgentToolResult> {
	const session = sessionOf(args, context);
	const text = session.output.all.trimEnd();
	session.output.unseen(0);
	return textResult(text === "" ? "No output." : text.slice(-limits.answerChars));
}

export async function memory(args: Arguments, context: ToolContext): Promise<AgentToolResult> {
	const session = sessionOf(args, context);
	if (!session.capabilities.supportsReadMemoryRequest)
		throw new DapError(`${session.row.name} does not read memory.`);
	const memoryReference = await addressOf(session, args, context);
	const answer = await session.request<DebugProtocol.ReadMemoryResponse["body"]>(
		"readMemory",
		{ memoryReference, offset: 0, count: args.count ?? 128 },
		context,
	);
	const bytes = Buffer.from(String(answer?.data ?? ""), "base64").subarray(0, limits.memoryBytes);
	const lines: string[] = [];
	for (let at = 0; at < bytes.length; at += 16) {
		const part = bytes.subarray(at, at + 16);
		const hex = [...part].map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
		const printable = part.toString("latin1").replaceAll(/[^\x20-\x7e]/g, ".");
		lines.push(`+${at.toString(16).padStart(4, "0")}  ${hex.padEnd(47)}  ${printable}`);
	}
	return textResult([`${value(answer?.address ?? memoryReference)}:`, ...lines].join("\n"));
}

export async function disassemble(args: Arguments, context: ToolContext): Promise<AgentToolResult> {
	const session = sessionOf(args, context);
	if (!session.capabilities.supportsDisassembleRequest)
		throw new DapError(`${session.row.name} does not disassemble.`);
	const memoryReference = await addressOf(session, args, context);
	const instructionCount = Math.min(args.count ?? 20, limits.instructions);
	const answer = await session.request<DebugProtocol.DisassembleResponse["body"]>(
		"disassemble",
		{ memoryReference, instructionCount, resolveSymbols: true },
		context,
	);
	const list = records(answer?.instructions);
	const lines = list.slice(0, instructionCount).map(({ address, symbol, instruction }) => {
		return `${value(address)}  ${symbol ? `${value(symbol)}: ` : ""}${value(instruction)}`;
	});
	return textResult(lines.join("\n") || "No instructions.");
}

/** As it was given, where an expression is, or where the frame stopped. */
async function addressOf(session: DebugSession, args: Arguments, context: ToolContext): Promise<string> {
	if (args.address !== undefined) return args.address;
	const frame = await frameOf(session, args, context);
	if (args.expression === undefined) {
		if (frame.instructionPointerReference !== undefined) return frame.instructionPointerReference;
		throw new DapError(`${args.action} needs address or expression.`);
	}
	const answer = await evaluate(session, args.expression, { frameId: frame.id, context: "watch" }, context);
	const [found] = /0x[0-9a-f]+/i.exec(answer.result ?? "") ?? [];
	const reference = answer.memoryReference ?? found;
	if (reference === undefined) throw new DapError(`${args.expression} has no address.`);
	return reference;
}

function required(args: Arguments, name: "expression" | "value"): string {
	const given = args[name];
	if (given === undefined) throw new DapError(`${args.action} needs ${name}.`);
	return given;
}
