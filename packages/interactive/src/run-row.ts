/** Runs a command below the screen for its user: dialogs take the keys, progress is a loader, the reply is drawn. */
import { BorderedLoader } from "@tau/tui";
import { dirs, listen, log, onDispose, timer } from "@tau/utils";
import type { CommandReply, Completion } from "@tau/wire";

import {
	ReportedError,
	type CommandParts,
	type CommandTarget,
	type ProgressKind,
	type SessionCommand,
	commandTarget,
} from "@tau/session-commands";
import type { InteractiveHost } from "./host.ts";
import { limits } from "./limits.ts";
import { linesBlock } from "./views/lines.ts";

/** Draws a reply to these arguments. */
export type DrawReply = (reply: CommandReply, host: InteractiveHost, args: string) => void | Promise<void>;

/** A notice, or two columns; what the user may send again is put into the editor. */
export function drawReply(reply: CommandReply, host: InteractiveHost): void {
	const { text, level, prefill } = reply;
	const rows = factsIn(reply);
	if (rows) host.print(linesBlock(host, rows));
	else if (text !== undefined) host.notify(text, level);
	if (prefill !== undefined) host.editor.setText(prefill);
}

function factsIn({ data }: CommandReply): readonly (readonly [string, string])[] | undefined {
	if (typeof data !== "object" || data === null || !("facts" in data)) return undefined;
	// Only `facts` of the rows makes such data.
	return data.facts as readonly (readonly [string, string])[];
}

/** Runs a row for the user of this screen. Without a promise, everything is drawn when it returns. */
export function runRow(
	row: SessionCommand,
	args: string,
	host: InteractiveHost,
	draw: DrawReply = drawReply,
): void | Promise<void> {
	if (host.isAttached) return runRemote(row.name, args, host).then((reply) => draw(reply, host, args));
	host.expectRequest();
	const loader = new Loader(host, row.name);
	const target = targetOf(host, loader);
	const replied = row.run(args, target);
	if (!(replied instanceof Promise)) {
		loader[Symbol.dispose]();
		return draw(replied, host, args);
	}
	return replied.then(
		(reply) => {
			loader[Symbol.dispose]();
			return draw(reply, host, args);
		},
		(error: unknown) => {
			loader[Symbol.dispose]();
			if (!(error instanceof ReportedError)) throw error;
			log.debug("a command ended with an error that events have shown", {
				name: row.name,
				reason: error.message,
			});
		},
	);
}

/** The reply of a row, wherever the session runs. */
export async function replyOf(
	row: SessionCommand,
	args: string,
	host: InteractiveHost,
): Promise<CommandReply> {
	if (host.isAttached) return await runRemote(row.name, args, host);
	return await withTarget(host, (target) => row.run(args, target));
}

/** Runs a row whose answer is shown as it is written. */
export async function streamedReply(
	row: SessionCommand,
	args: string,
	host: InteractiveHost,
	{ signal, onText }: { signal: AbortSignal; onText(delta: string): void },
): Promise<CommandReply> {
	if (!host.isAttached) {
		const quiet = { by: host.client.me, signal, progress() {}, notice() {}, onText };
		return await row.run(args, commandTarget(partsOf(host), quiet));
	}
	let streamed = "";
	using _ = host.client.subscribe((event) => {
		if (event.type !== "command_text" || event.name !== row.name || event.to !== host.client.me.id) return;
		streamed += event.delta;
		onText(event.delta);
	});
	const reply = await runUntil(row.name, args, host, signal);
	const { text = "" } = reply;
	// What a connection that was lost meanwhile did not bring.
	if (text.startsWith(streamed)) onText(text.slice(streamed.length));
	else if (!streamed.includes(text)) onText(`\n\n${text}`);
	return reply;
}

/** What a row replies to a list that is open: without a loader, and without questions. */
export function quietReply(
	row: SessionCommand,
	args: string,
	host: InteractiveHost,
): CommandReply | Promise<CommandReply> {
	if (host.isAttached) return host.client.request("run_command", { name: row.name, args });
	return row.run(args, quietTarget(host));
}

/** Runs a command in the process of the session; its questions come as those of any other client. */
export async function runRemote(name: string, args: string, host: InteractiveHost): Promise<CommandReply> {
	host.expectRequest();
	using loader = new Loader(host, name);
	// What takes long can be stopped, also where it does not say what it does; what it has opened keeps the keys.
	const isSlow = (): Disposable =>
		timer(limits.slowCommandMs, () => {
			if (host.isTaken) slow = isSlow();
			else loader.progress(`/${name}`);
		});
	let slow = isSlow();
	using _slow = onDispose(() => slow[Symbol.dispose]());
	using _progress = host.client.subscribe((event) => {
		const isOwn = event.type === "command_progress" && (event.to ?? host.client.me.id) === host.client.me.id;
		if (isOwn && event.name === name) loader.progress(event.text);
		if (event.type !== "request_opened" && event.type !== "request_closed") return;
		// The user has started the command: its dialogs take the keys.
		host.expectRequest();
		slow[Symbol.dispose]();
		loader.progress(undefined);
		if (event.type === "request_closed") slow = isSlow();
	});
	return await runUntil(name, args, host, loader.signal);
}

/** The signal stops the command where it runs. */
async function runUntil(
	name: string,
	args: string,
	{ client }: InteractiveHost,
	signal: AbortSignal,
): Promise<CommandReply> {
	using _stopped = listen(signal, "abort", () => {
		// The reply says that it was stopped; a connection that has ended says so itself.
		client.request("abort_command", { name }).catch((error: unknown) => {
			log.debug("a command was not stopped", { name, reason: String(error) });
		});
	});
	return await client.request("run_command", { name, args });
}

/** What may follow the name of a command, as the process of the session knows it. */
export async function completeRemote(
	name: string,
	prefix: string,
	host: InteractiveHost,
): Promise<Completion[]> {
	const { items } = await host.client.request("complete_command", { name, prefix });
	return [...items];
}

/** Does something for the user of this screen that is no command by itself; Escape in its loader stops it. */
async function withTarget<T>(
	host: InteractiveHost,
	work: (target: CommandTarget) => T | Promise<T>,
): Promise<T> {
	host.expectRequest();
	using loader = new Loader(host);
	return await work(targetOf(host, loader));
}

/** For what is read of the session, and not changed. */
export function quietTarget(host: InteractiveHost): CommandTarget {
	const signal = AbortSignal.abort();
	return commandTarget(partsOf(host), { by: host.client.me, signal, progress() {}, notice() {} });
}

/** The target of a command of this screen; the loader stops it. */
function targetOf(host: InteractiveHost, loader: Loader): CommandTarget {
	return commandTarget(partsOf(host), {
		by: host.client.me,
		signal: loader.signal,
		progress: (text, how) => loader.progress(text, how),
		notice: (text, level) => host.notify(text, level),
		facts: () => screenFacts(host),
		prompt: (text) => host.prompt(text),
		async preview(plan) {
			const { previewOn } = await import("./selectors/rewind/preview.ts");
			await previewOn(host)(plan);
		},
		// The user has started the command: its dialogs take the keys.
		onUser: () => host.expectRequest(),
	});
}

function screenFacts({ tui, theme }: InteractiveHost): [string, string][] {
	const { terminal: screen } = tui;
	const { features } = screen;
	return [
		[
			"terminal",
			`${screen.columns}x${screen.rows} ${process.env.TERM ?? ""} ${process.env.TERM_PROGRAM ?? ""}`,
		],
		["colors", theme.current.getColorMode()],
		["theme", `${theme.name} (${theme.current.name})`],
		["keyboard", screen.kittyProtocolActive ? "kitty protocol" : "legacy"],
		["features", features ? JSON.stringify(features) : "unknown"],
		["redraws", String(tui.fullRedraws)],
	];
}

function partsOf(host: InteractiveHost): CommandParts {
	return {
		host: host.sessionHost,
		env: () => host.env,
		registry: host.registry,
		credentials: host.credentials,
		get resources() {
			return host.resources;
		},
		get extensions() {
			return host.extensions;
		},
		mcp: host.mcp,
		mcpPrompts: host.mcpOffers?.prompts ?? [],
		machine: host.machine,
		doctor: host.doctor,
		collab: host.collab,
		fleet: host.fleet,
		recording: host.recording,
		schedules: host.schedules,
		agentDir: dirs().agent,
		get isTrusted() {
			return host.isTrusted;
		},
		reload: () => host.reload(),
	};
}

/** In place of the editor while a command works, with the elapsed time; Escape stops the command. */
class Loader implements Disposable {
	readonly #host: InteractiveHost;
	readonly #key: string;
	readonly #stop = new AbortController();
	#inFooter: Disposable | undefined;
	#footerText = "";
	#shown: DisposableStack | undefined;
	#say: ((text: string) => void) | undefined;

	/** `key` is where the footer shows work in the background. */
	constructor(host: InteractiveHost, key = "command") {
		this.#host = host;
		this.#key = key;
	}

	get signal(): AbortSignal {
		return this.#stop.signal;
	}

	/** Without a text it is gone until the next one. */
	progress(text: string | undefined, how?: ProgressKind): void {
		if (text === undefined) return this[Symbol.dispose]();
		if (how === "background") return this.#showInFooter(text);
		if (this.#shown) return this.#say?.(text);
		this.#shown = this.#show(text);
	}

	[Symbol.dispose](): void {
		this.#shown?.dispose();
		this.#shown = undefined;
		this.#inFooter?.[Symbol.dispose]();
		this.#inFooter = undefined;
	}

	/** The user continues meanwhile. */
	#showInFooter(text: string): void {
		this.#footerText = text;
		if (this.#inFooter) return this.#host.status(this.#key, text);
		this.#host.status(this.#key, text);
		const since = performance.now();
		const clock = setInterval(() => {
			const seconds = Math.floor((performance.now() - since) / 1000);
			this.#host.status(this.#key, `${this.#footerText} ${seconds}s`);
		}, 1000);
		this.#inFooter = onDispose(() => {
			clearInterval(clock);
			this.#host.status(this.#key, undefined);
		});
	}

	#show(text: string): DisposableStack {
		const owned = new DisposableStack();
		const since = performance.now();
		let what = text;
		const message = (): string => {
			const seconds = Math.floor((performance.now() - since) / 1000);
			return seconds === 0 ? `${what}…` : `${what}… ${seconds}s`;
		};
		const loader = owned.use(new BorderedLoader(this.#host.tui, this.#host.theme.current, message()));
		const shown = this.#host.showInEditor(loader, { onCancel: () => this.#stop.abort() });
		owned.defer(() => shown.close());
		const clock = setInterval(() => loader.setMessage(message()), 1000);
		owned.use(onDispose(() => clearInterval(clock)));
		this.#say = (next) => {
			what = next;
			loader.setMessage(message());
		};
		return owned;
	}
}
