/** Prints the runs of a session in the format that the flags choose. */
import type { Prompt } from "@tau/session";
import type { SessionHost } from "@tau/session/host";
import { builtinTools } from "@tau/integrations/builtin";
import { listen, UsageError } from "@tau/utils";

import { standardOutput, type Output } from "../../modes/output.ts";
import {
	jsonPrinter,
	runPrint,
	textPrinter,
	type OutputSchema,
	type Printer,
	type PrintOutcome,
} from "../../modes/print/index.ts";
import type { CommandParts } from "@tau/session-commands";
import type { CommandReply } from "@tau/wire";
import type { Args } from "../args.ts";
import type { PrintCommands } from "./print-commands.ts";

type Format = "text" | "json" | "codex-json" | "claude-json" | "claude-stream-json";

/** Throws a `UsageError` where two flags ask for different things. */
export function printFormat({ flags }: Pick<Args, "flags">): Format {
	const mode = flags.get("mode");
	const format = flags.get("output-format");
	if (mode !== undefined && format !== undefined)
		throw new UsageError("--mode and --output-format cannot be combined: both say how to print.");
	if (mode === "json" || mode === "codex-json") return mode;
	return format === "json" || format === "stream-json" ? `claude-${format}` : "text";
}

/** True if prompts come as lines of standard input. Throws a `UsageError` if there are others as well. */
export function isStreamedInput({
	flags,
	messages,
	files,
}: Pick<Args, "flags" | "messages" | "files">): boolean {
	if (flags.get("input-format") !== "stream-json") return false;
	if (messages.length > 0 || files.length > 0)
		throw new UsageError("--input-format stream-json reads the prompts from standard input: give none here.");
	return true;
}

export interface PrintRun {
	args: Args;
	host: SessionHost;
	/** Those of the command line; none if they are streamed. */
	prompts: readonly Prompt[];
	signal: AbortSignal;
	prepare: () => Promise<void>;
	schema: OutputSchema | undefined;
	/** What slash commands work with. */
	commands(): Promise<CommandParts>;
}

export async function printRun(run: PrintRun): Promise<PrintOutcome> {
	const out = standardOutput("stdout", () => void run.host.stop());
	const format = printFormat(run.args);
	if (format === "json" && run.host.log.isPersisted())
		out.write(`${JSON.stringify(run.host.log.getHeader())}\n`);
	// With a schema, standard output gets nothing but the value that fits it.
	const shown = run.schema && format === "text" ? { isTerminal: false, write: () => {} } : out;
	const printer = await printerOf(format, shown, run.host);
	const outcome = isStreamedInput(run.args)
		? await printStreamed(run, printer)
		: await printGiven(run, printer, out, format);
	const problem = await out.settled();
	return problem ? { kind: "unwritten", reason: problem.message } : outcome;
}

async function printerOf(format: Format, out: Output, host: SessionHost): Promise<Printer> {
	switch (format) {
		case "text":
			return textPrinter({ out, err: standardOutput("stderr", () => {}), describeCall });
		case "json":
			return jsonPrinter(out);
		case "codex-json": {
			const { codexPrinter } = await import("../../modes/print/foreign/codex.ts");
			return codexPrinter({ out, facts: () => ({ sessionId: host.state.id, cwd: host.state.cwd }) });
		}
		default: {
			const { claudePrinter } = await import("../../modes/print/foreign/claude.ts");
			const before = host.session.usage.totals.cost.total;
			return claudePrinter({
				out,
				isStream: format === "claude-stream-json",
				facts: () => ({
					sessionId: host.state.id,
					cwd: host.state.cwd,
					model: host.session.state.model.id,
					tools: host.session.state.tools.map(({ name }) => name),
					approvalMode: host.policy?.mode ?? "full",
					cost: host.session.usage.totals.cost.total - before,
				}),
			});
		}
	}
}

async function printGiven(
	run: PrintRun,
	printer: Printer,
	out: Output,
	format: Format,
): Promise<PrintOutcome> {
	const { host, prompts, signal, prepare, schema } = run;
	const replies: string[] = [];
	const isText = format === "text";
	const onReply = ({ text: message = "" }: CommandReply): void | Promise<void> => {
		if (message === "") return;
		if (isText) replies.push(`${message}\n`);
		else return printer.onEvent({ type: "notice", level: "info", message });
	};
	const first = await runPrint(await target(run, onReply), prompts, printer, signal, prepare);
	// After the last answer, which a pipe gets when it is complete.
	for (const reply of replies) out.write(reply);
	const emit = (value: unknown): void | Promise<void> =>
		isText ? out.write(`${JSON.stringify(value)}\n`) : printer.onEvent({ type: "structured_output", value });
	const ask = (text: string): Promise<PrintOutcome> => runPrint(host, [{ text }], printer, signal);
	const outcome = schema
		? await (
				await import("../../modes/print/output-schema.ts")
			).structuredOutcome(schema, host, first, ask, emit)
		: first;
	await printer.conclude?.(outcome);
	return outcome;
}

/** The session, with slash commands if a prompt may be one: they are loaded for nobody else. */
async function target(
	{ host, prompts, signal, commands }: PrintRun,
	onReply: PrintCommands["onReply"],
): Promise<Pick<SessionHost, "submit" | "attach" | "stop" | "waitForIdle">> {
	if (!prompts.some(({ text }) => text.trimStart().startsWith("/"))) return host;
	const { submitWithCommands } = await import("./print-commands.ts");
	return {
		submit: submitWithCommands({ parts: await commands(), signal, onReply }),
		attach: (client) => host.attach(client),
		stop: () => host.stop(),
		waitForIdle: () => host.waitForIdle(),
	};
}

/** Each prompt is answered before the next one is read, and has a result of its own. The last one decides the exit code. */
async function printStreamed(run: PrintRun, printer: Printer): Promise<PrintOutcome> {
	const { signal, prepare } = run;
	const { streamedPrompts } = await import("../../modes/print/foreign/claude-input.ts");
	const reader = Bun.stdin.stream().getReader();
	using _stop = listen(signal, "abort", () => void reader.cancel());
	const onReply = ({ text = "" }: CommandReply): void | Promise<void> =>
		text === "" ? undefined : printer.onEvent({ type: "notice", level: "info", message: text });
	let outcome: PrintOutcome = { kind: "answered" };
	let first: (() => Promise<void>) | undefined = prepare;
	for await (const prompt of streamedPrompts(chunksOf(() => reader.read()))) {
		const host = await target({ ...run, prompts: [prompt] }, onReply);
		outcome = await runPrint(host, [prompt], printer, signal, first);
		first = undefined;
		await printer.conclude?.(outcome);
		if (signal.aborted) break;
	}
	return signal.aborted ? { kind: "interrupted" } : outcome;
}

async function* chunksOf(
	read: () => Promise<{ done: boolean; value?: Uint8Array | undefined }>,
): AsyncGenerator<Uint8Array> {
	for (;;) {
		const { value } = await read();
		if (!value) return;
		yield value;
	}
}

function describeCall(name: string, args: Record<string, unknown>): string {
	return builtinTools.find((tool) => tool.name === name)?.describeCall(args) ?? name;
}
