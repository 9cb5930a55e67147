/** What the model reads of a debuggee: where it stopped, the source around, the values that were asked for. */
import type { DebugProtocol } from "@vscode/debugprotocol";
import { oneLine, stripControls } from "@tau/utils";

import { DapError, records, type RequestOptions } from "../client/connection.ts";
import type { DebugSession } from "../client/debug-session.ts";
import { debuggers } from "../debuggers.ts";
import { limits } from "../limits.ts";
import type { ToolContext } from "@tau/tools/tool";

/** A frame of the thread that stopped, or of another one. */
export interface FrameChoice {
	readonly thread?: number | undefined;
	/** 0 is the innermost. */
	readonly frame?: number | undefined;
}

export function value(text: unknown, chars: number = limits.valueChars): string {
	return oneLine(stripControls(String(text ?? "")), chars);
}

/** Where it is now, what it printed since the last report, and these expressions. */
export async function stateReport(
	session: DebugSession,
	show: readonly string[],
	context: ToolContext,
): Promise<string> {
	const printed = session.output.unseen(limits.reportOutputChars).trimEnd();
	const output = printed === "" ? [] : ["Output:", printed];
	const { id, state, stop, ending } = session;
	if (state === "ended") return [`${id} has ended: ${ending}.`, ...output].join("\n");
	if (state !== "stopped" || !stop) return [`${id} is running.`, ...output].join("\n");
	const [frame] = await stackFrames(session, { levels: 1 }, context);
	const text = (await exceptionText(session, context)) ?? stop.text;
	const why = text === undefined ? stop.reason : `${stop.reason} (${text})`;
	const lines = [`${id} stopped: ${why}, ${frame ? placeOf(frame, context) : `thread ${stop.threadId}`}`];
	if (frame) {
		session.place = placeOf(frame, context);
		lines.push(...(await sourceAround(frame, context)));
	}
	lines.push(...(await shownValues(session, show, {}, context)));
	return [...lines, ...output].join("\n");
}

/** `TypeError: bad thing`, where the adapter says more than that there is an exception. */
async function exceptionText(
	session: DebugSession,
	{ signal }: Pick<ToolContext, "signal">,
): Promise<string | undefined> {
	const { stop, capabilities } = session;
	if (stop?.reason !== "exception" || !capabilities.supportsExceptionInfoRequest) return undefined;
	const args = { threadId: stop.threadId };
	type Info = Partial<DebugProtocol.ExceptionInfoResponse["body"]>;
	const info = await session
		.request<Info>("exceptionInfo", args, { signal })
		.catch((error: unknown): Info => {
			if (error instanceof DapError) return {};
			throw error;
		});
	const [first = ""] = String(info.description ?? "")
		.trim()
		.split("\n");
	const id = typeof info.exceptionId === "string" ? info.exceptionId : "";
	const words = [id, first].filter((part) => part !== "" && part !== "undefined");
	const text = first.startsWith(id) ? first : words.join(": ");
	return text === "" ? undefined : value(text);
}

export async function stackFrames(
	session: DebugSession,
	{ levels, thread }: FrameChoice & { levels: number },
	{ signal }: Pick<ToolContext, "signal">,
): Promise<DebugProtocol.StackFrame[]> {
	const threadId = thread ?? session.stop?.threadId;
	if (session.state !== "stopped" || threadId === undefined) throw session.notStopped();
	const answer = await session.request<DebugProtocol.StackTraceResponse["body"]>(
		"stackTrace",
		{ threadId, startFrame: 0, levels },
		{ signal },
	);
	return records(answer.stackFrames).slice(0, levels);
}

export async function frameOf(
	session: DebugSession,
	choice: FrameChoice,
	context: Pick<ToolContext, "signal">,
): Promise<DebugProtocol.StackFrame> {
	const at = choice.frame ?? 0;
	const frames = await stackFrames(session, { ...choice, levels: at + 1 }, context);
	const frame = frames[at];
	if (!frame) throw new DapError(`There is no frame ${at}; the stack has ${frames.length}.`);
	return frame;
}

export function placeOf(frame: DebugProtocol.StackFrame, context: ToolContext): string {
	const path = sourcePath(frame);
	const where =
		path === undefined
			? (frame.source?.name ?? frame.instructionPointerReference ?? "")
			: context.services.get(debuggers, context).shown(path);
	return `${value(where)}${path === undefined ? "" : `:${frame.line}`} in ${value(frame.name)}`;
}

function sourcePath({ source }: DebugProtocol.StackFrame): string | undefined {
	return typeof source?.path === "string" ? source.path : undefined;
}

async function sourceAround(frame: DebugProtocol.StackFrame, context: ToolContext): Promise<string[]> {
	const path = sourcePath(frame);
	if (path === undefined) return [];
	const options = { maxBytes: limits.sourceBytes, signal: context.signal };
	const bytes = await context.machine.files.read(path, options).catch(() => undefined);
	if (bytes === undefined) return [];
	const text = new TextDecoder().decode(bytes);
	const first = Math.max(1, frame.line - limits.around);
	const lines = text.split("\n").slice(first - 1, frame.line + limits.around);
	return lines.map((line, at) => {
		const number = first + at;
		const mark = number === frame.line ? ">" : " ";
		return `${mark}${String(number).padStart(5)}  ${stripControls(line).trimEnd().slice(0, limits.lineChars)}`;
	});
}

/** One line for each expression; one that cannot be evaluated says why. */
export async function shownValues(
	session: DebugSession,
	show: readonly string[],
	choice: FrameChoice,
	context: ToolContext,
): Promise<string[]> {
	if (show.length === 0) return [];
	const { id } = await frameOf(session, choice, context);
	const lines: string[] = [];
	for (const expression of show.slice(0, limits.shown)) {
		const text = await evaluate(session, expression, { frameId: id, context: "watch" }, context).then(
			(answer) => value(answer.result),
			(error: unknown) => {
				if (error instanceof DapError && session.state !== "ended") return `(${value(error.message)})`;
				throw error;
			},
		);
		lines.push(`${expression} = ${text}`);
	}
	return lines;
}

export async function evaluate(
	session: DebugSession,
	expression: string,
	where: { frameId: number; context: string },
	{ signal }: RequestOptions,
): Promise<DebugProtocol.EvaluateResponse["body"]> {
	return await session.request("evaluate", { expression, ...where }, { signal });
}
