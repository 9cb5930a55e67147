/** A command below the screen as a slash command: its dialogs take the keys, its progress is a loader, its reply is drawn. */
import { BorderedLoader } from "@tau/tui";
import { dirs, log, onDispose } from "@tau/utils";
import type { ClientInfo, CommandReply } from "@tau/wire";

import {
	ReportedError,
	type CommandParts,
	type CommandTarget,
	type SessionCommand,
} from "../../../session-commands/command.ts";
import { commandTarget, type CommandCaller } from "../../../session-commands/target.ts";
import type { InteractiveHost } from "../host.ts";
import { linesBlock } from "../views/lines.ts";
import type { SlashCommand } from "./command.ts";

export interface ScreenParts {
	/** Shows something of its own for these arguments, such as a list. False: the row runs. */
	open?(args: string, host: InteractiveHost): boolean | Promise<boolean>;
	/** Draws the reply; by default its text is a notice. */
	draw?(reply: CommandReply, host: InteractiveHost): void | Promise<void>;
}

const terminal: ClientInfo = {
	id: "terminal",
	name: "terminal",
	rights: "control",
	kinds: ["questions", "approval", "trust", "dialog"],
};

export function onScreen(row: SessionCommand, { open, draw = drawReply }: ScreenParts = {}): SlashCommand {
	const { complete, ...words } = row;
	return {
		...words,
		...(complete ? { complete: (prefix, host) => complete(prefix, quietTarget(host)) } : {}),
		run: (args, host) => {
			const opened = open?.(args, host) ?? false;
			if (opened === true) return undefined;
			const run = (): void | Promise<void> => runRow(row, args, host, draw);
			return opened === false ? run() : opened.then((isOpen) => (isOpen ? undefined : run()));
		},
	};
}

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
	draw: NonNullable<ScreenParts["draw"]> = drawReply,
): void | Promise<void> {
	const loader = new Loader(host);
	const target = targetOf(host, loader);
	const replied = row.run(args, target);
	if (!(replied instanceof Promise)) {
		loader[Symbol.dispose]();
		return draw(replied, host);
	}
	return replied.then(
		(reply) => {
			loader[Symbol.dispose]();
			return draw(reply, host);
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

/** For what is read of the session, and not changed. */
export function quietTarget(host: InteractiveHost): CommandTarget {
	const signal = AbortSignal.abort();
	return commandTarget(partsOf(host), { by: terminal, signal, progress() {}, notice() {} });
}

/** The target of a command of this screen; the loader stops it. */
export function targetOf(
	host: InteractiveHost,
	loader: Pick<CommandCaller, "signal" | "progress">,
): CommandTarget {
	return commandTarget(partsOf(host), {
		by: terminal,
		signal: loader.signal,
		progress: (text) => loader.progress(text),
		notice: (text, level) => host.notify(text, level),
		prompt: (text) => host.prompt(text),
		// The user has started the command: its dialogs take the keys.
		onAsk: () => host.expectRequest(),
	});
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
		extensions: extensionsOf(host),
		mcp: host.mcp,
		mcpPrompts: host.mcpOffers?.prompts ?? [],
		machine: host.machine,
		doctor: host.doctor,
		agentDir: dirs().agent,
		get isTrusted() {
			return host.isTrusted;
		},
		reload: () => host.reload(),
	};
}

/** The screen shows commands of extensions by itself. */
function extensionsOf({ treeExtensions, loadedExtensions }: InteractiveHost): CommandParts["extensions"] {
	if (!treeExtensions || !loadedExtensions) return undefined;
	return {
		beforeTree: (...about) => treeExtensions.beforeTree(...about),
		afterTree: (...about) => treeExtensions.afterTree(...about),
		get times() {
			return loadedExtensions.times;
		},
		get problems() {
			return loadedExtensions.problems;
		},
	};
}

/** In place of the editor while a command works, with the elapsed time; Escape stops the command. */
class Loader implements Disposable {
	readonly #host: InteractiveHost;
	readonly #stop = new AbortController();
	#shown: DisposableStack | undefined;
	#say: ((text: string) => void) | undefined;

	constructor(host: InteractiveHost) {
		this.#host = host;
	}

	get signal(): AbortSignal {
		return this.#stop.signal;
	}

	/** Without a text it is gone until the next one. */
	progress(text: string | undefined): void {
		if (text === undefined) return this[Symbol.dispose]();
		if (this.#shown) return this.#say?.(text);
		this.#shown = this.#show(text);
	}

	[Symbol.dispose](): void {
		this.#shown?.dispose();
		this.#shown = undefined;
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
